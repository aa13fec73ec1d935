import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { equalSecrets, makeSecretFile } from '@svc/platform'
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
    replaceFile(this.#file, `${next}\n`)
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

/** Whoever reads meanwhile gets the old content, or the new. */
function replaceFile(file: string, content: string): void {
  const next = `${file}.${randomBytes(8).toString('hex')}`
  const opened = openSync(next, 'wx', 0o600)
  try {
    writeSync(opened, content)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
  renameSync(next, file)
}
