import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SealingKey } from '@svc/platform'
import { type Config, ConfigError } from './config.ts'

const FORM = 'must hold kid:base64 of 32 random bytes each'

/**
 * The keyring that seals secrets in the store (D52). With the embedded store and nothing configured, a key is made
 * once and kept in `<data directory>/keys`.
 * @param notice - called with a sentence for the operator when a key was made
 * @throws ConfigError when keys are missing or malformed
 */
export function loadSealingKeys(config: Config, notice: (text: string) => void): SealingKey[] {
  if (config.keys !== undefined) return parseKeys(config.keys, 'SVC_KEYS')
  if (config.keysFile !== undefined) {
    return parseKeys(readKeysFile(config.keysFile, 'SVC_KEYS_FILE'), 'SVC_KEYS_FILE')
  }
  if (config.isProduction || config.store !== 'sqlite') {
    const when = config.isProduction ? 'in production' : 'with a Redis store'
    throw new ConfigError([`SVC_KEYS or SVC_KEYS_FILE: ${when} the sealing keys must be set`])
  }
  const file = join(config.dataDir, 'keys')
  const text = makeOnce(file, () => `k1:${randomBytes(32).toString('base64')}\n`)
  if (text.isNew) {
    notice(`Sealing keys were made in ${file}. Keep a copy: without them the store cannot be read.`)
  }
  return parseKeys(text.content, file)
}

/** A secret kept in a file of mode 0600: what is there, or what was made now. */
export function makeOnce(
  file: string,
  make: () => string,
): { readonly content: string; readonly isNew: boolean } {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  try {
    const content = make()
    // `wx`: of two processes that start at once, one writes and the other reads.
    writeFileSync(file, content, { flag: 'wx', mode: 0o600, flush: true })
    return { content, isNew: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return { content: readFileSync(file, 'utf8'), isNew: false }
  }
}

function readKeysFile(path: string, source: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError([`${source}: the file cannot be read`])
  }
}

function parseKeys(text: string, source: string): SealingKey[] {
  const keys = text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => parseKey(part, source))
  if (keys.length === 0) throw new ConfigError([`${source}: ${FORM}`])
  return keys
}

function parseKey(part: string, source: string): SealingKey {
  const [, kid, base64] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(part) ?? []
  if (kid === undefined || base64 === undefined) throw new ConfigError([`${source}: ${FORM}`])
  const key = Buffer.from(base64, 'base64')
  // 32 random bytes hold fewer than 16 different values with a chance below 2^-40; an example or a pattern does.
  if (new Set(key).size < 16) {
    throw new ConfigError([
      `${source}: the key ${kid} is not random; make one with openssl rand -base64 32`,
    ])
  }
  return { kid, key }
}
