import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Config, ConfigError } from '../config/config.ts'
import { ADMIN_TOKEN_FILE } from '../config/data-files.ts'
import { makeOnce } from '../storage/sealing-keys.ts'

/** The bearer token of the admin listener: configured, or made once and kept with mode 0600. */
export function loadAdminToken(config: Pick<Config, 'adminToken' | 'dataDir'>): string {
  if (config.adminToken !== undefined) return config.adminToken
  const file = join(config.dataDir, ADMIN_TOKEN_FILE)
  const token = makeOnce(file, () => `${randomBytes(32).toString('base64url')}\n`).content.trim()
  if (token.length < 32)
    throw new ConfigError([`${file}: holds no token; remove it to get a new one`])
  return token
}
