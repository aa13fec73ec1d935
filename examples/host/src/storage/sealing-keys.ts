import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sealedAccountTypes } from '@svc/connectors'
import { checkSealingKeys, type SealedValue, type SealingKey, SealingKeyError } from '@svc/platform'
import type { Store } from '@svc/store'
import { type Config, ConfigError } from '../config/config.ts'
import { sealedPushKeys } from '../notifications/push-keys.ts'

const FORM = 'must hold kid:base64 of 32 random bytes each'

/** Where the sealing keys come from. */
export interface KeySource {
  /** What the operator sets, or the file. */
  readonly name: string
  /** The first seals, all open. None: they are to be made in the file. */
  readonly keys: readonly SealingKey[]
  /** Only where none are configured. */
  readonly file?: string
}

/** What {@link openSealingKeys} needs. */
export interface OpenKeysOptions {
  readonly store: Store
  readonly clock: { now(): number }
  /** Tells the operator something in a sentence. */
  readonly notice: (text: string) => void
}

/**
 * The keyring that seals secrets in the store (D52), as it is configured. With the embedded store and nothing
 * configured it is kept in `<data directory>/keys`.
 * @throws ConfigError when keys are missing or malformed
 */
export function readSealingKeys(config: Config): KeySource {
  if (config.keys !== undefined) {
    return { name: 'SVC_KEYS', keys: parseKeys(config.keys, 'SVC_KEYS') }
  }
  if (config.keysFile !== undefined) {
    const name = 'SVC_KEYS_FILE'
    return { name, keys: parseKeys(readKeysFile(config.keysFile, name), name) }
  }
  if (config.isProduction || config.store !== 'sqlite') {
    const when = config.isProduction ? 'in production' : 'with a Redis store'
    throw new ConfigError([`SVC_KEYS or SVC_KEYS_FILE: ${when} the sealing keys must be set`])
  }
  const file = join(config.dataDir, 'keys')
  return {
    name: file,
    file,
    keys: existsSync(file) ? parseKeys(readFileSync(file, 'utf8'), file) : [],
  }
}

/**
 * Proves that the keys open what the store holds, before anything is written; keys that are kept in the data directory
 * are made with a new store.
 * @throws ConfigError naming the key that is missing
 */
export async function openSealingKeys(
  source: KeySource,
  options: OpenKeysOptions,
): Promise<readonly SealingKey[]> {
  const { name, keys, file } = source
  await proveSealingKeys(source, options)
  if (keys.length > 0 || file === undefined) return keys
  const made = makeOnce(file, () => `k1:${randomBytes(32).toString('base64')}\n`)
  if (made.isNew) {
    options.notice(
      `Sealing keys were made in ${file}. Keep a copy: without them the store cannot be read.`,
    )
  }
  const all = parseKeys(made.content, name)
  await proveSealingKeys({ ...source, keys: all }, options)
  return all
}

/**
 * Proves that the keys open what the store holds; writes at most a note of the first one.
 * @throws ConfigError naming the key that is missing
 */
export async function proveSealingKeys(
  source: KeySource,
  { store, clock }: Pick<OpenKeysOptions, 'clock' | 'store'>,
): Promise<void> {
  const { keys } = source
  try {
    await checkSealingKeys({ store, clock, keys, sealed: () => sealedForAll(store) })
  } catch (error) {
    if (error instanceof SealingKeyError) throw new ConfigError([explain(error, source)])
    throw error
  }
}

/** What is sealed in the store and belongs to no instance. */
async function* sealedForAll(store: Store): AsyncGenerator<SealedValue> {
  yield* sealedAccountTypes(store)
  yield* sealedPushKeys(store)
}

function explain({ code, kid, firstUsedAt, values }: SealingKeyError, source: KeySource): string {
  const { name, keys, file } = source
  if (code === 'sealing_key_wrong') {
    return `"${kid}" in ${name} is not the key that the store was sealed with. Put that one back. Nothing was changed.`
  }
  const uses = [
    firstUsedAt === undefined
      ? []
      : `first used ${new Date(firstUsedAt).toISOString().slice(0, 10)}`,
    values === undefined ? [] : `${values} values when last counted`,
  ].flat()
  const use = uses.length === 0 ? '' : ` (${uses.join(', ')})`
  const held = `The store holds values sealed with the key "${kid}"${use}`
  if (keys.length === 0 && file !== undefined) {
    return `${held}, and the file ${file} is gone. Put it back: nothing else opens this store. Nothing was changed.`
  }
  return `${held}, which ${name} does not have. Put ${kid} back behind the first key. Nothing was changed.`
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
