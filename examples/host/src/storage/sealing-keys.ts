import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sealedAccountTypes } from '@svc/connectors'
import {
  checkSealingKeys,
  parseSealingKeys,
  type SealedValue,
  type SealingKey,
  SealingKeyError,
  sealingKeys,
} from '@svc/platform'
import { readPrivateFile, type Store } from '@svc/store'
import { type Config, ConfigError } from '../config/config.ts'
import { sealedPushKeys } from '../notifications/push-keys.ts'

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
  const name = nameOfKeys(config)
  if (config.keys !== undefined) return { name, keys: parseKeys(config.keys, name) }
  if (config.keysFile !== undefined) {
    return { name, keys: parseKeys(readKeysFile(config.keysFile, name), name) }
  }
  if (config.isProduction || config.store !== 'sqlite') {
    const when = config.isProduction ? 'in production' : 'with a Redis store'
    throw new ConfigError([`SVC_KEYS or SVC_KEYS_FILE: ${when} the sealing keys must be set`])
  }
  const keys = existsSync(name) ? parseKeys(readPrivateFile(name), name) : []
  return { name, file: name, keys }
}

/** Where the operator finds the keyring: an entry of the configuration, or the path of a file. */
export function nameOfKeys(config: Pick<Config, 'dataDir' | 'keys' | 'keysFile'>): string {
  if (config.keys !== undefined) return 'SVC_KEYS'
  return config.keysFile !== undefined ? 'SVC_KEYS_FILE' : join(config.dataDir, 'keys')
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
  const { keys, file } = source
  await proveSealingKeys(source, options)
  if (keys.length > 0 || file === undefined) return keys
  const all = sealingKeys({ file, create: true, notice: options.notice })
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
  return `${held}, which ${name} does not have. Put ${kid} back behind the first key. "svc keys reseal" makes it unnecessary. Nothing was changed.`
}

function readKeysFile(path: string, source: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new ConfigError([`${source}: the file cannot be read`])
  }
}

function parseKeys(text: string, source: string): SealingKey[] {
  try {
    return parseSealingKeys(text)
  } catch (error) {
    throw new ConfigError([`${source}: ${(error as Error).message}`])
  }
}
