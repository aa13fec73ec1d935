import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { equalSecrets, makeSecretFile } from '@svc/platform'
import { writeNewFile } from '@svc/store'
import { type Config, ConfigError } from '../config/config.ts'
import { ADMIN_TOKEN_FILE } from '../config/data-files.ts'
import { AdminError } from './admin-error.ts'

/** The bearer token of the admin listener: configured, or made once and kept with mode 0600. */
export class AdminToken {
  readonly #config: Pick<Config, 'adminToken' | 'dataDir'>
  #value: string

  /** @throws ConfigError for a file that holds none */
  constructor(config: Pick<Config, 'adminToken' | 'dataDir'>) {
    this.#config = config
    this.#value = config.adminToken ?? readOrMake(this.#file)
  }

  get #file(): string {
    return join(this.#config.dataDir, ADMIN_TOKEN_FILE)
  }

  isSame(given: string): boolean {
    return equalSecrets(given, this.#value)
  }

  /**
   * Replaces the file's token; the old one is dead at once in this process.
   * @returns the file
   * @throws AdminError when the token is configured
   */
  rotate(): string {
    if (this.#config.adminToken !== undefined) {
      const detail = 'the admin token is configured: change it there, and start the server again'
      throw new AdminError('admin_token_configured', 409, detail)
    }
    const next = makeToken()
    // A command that reads it meanwhile gets the old one, or the new.
    writeNewFile(this.#file, `${next}\n`, 'replace')
    this.#value = next
    return this.#file
  }
}

function readOrMake(file: string): string {
  const token = makeSecretFile(file, () => `${makeToken()}\n`).content.trim()
  if (token.length < 32)
    throw new ConfigError([`${file}: holds no token; remove it to get a new one`])
  return token
}

function makeToken(): string {
  return randomBytes(32).toString('base64url')
}
