import { hash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { listEntries } from '../config/entries.ts'

/** What a process says of its configuration: enough to find a difference, and nothing else. */
export interface ConfigDigest {
  /** Of all options together. */
  readonly digest: string
  /** Of each option that is not at its default, by the name of its variable. */
  readonly options: Readonly<Record<string, string>>
}

/** What is one process's own: its addresses, and where its machine keeps files. */
const OWN = new Set(['port', 'host', 'adminPort', 'adminUrl', 'dataDir', 'keysFile'])
const OWN_FILES = new Set(['tls.cert', 'tls.key', 'mail.dkimKeyFile'])
const OPTION_CHARACTERS = 16

/** Digests of the options that have to be the same in all processes of a store; secrets are left out. */
export function digestConfig(config: Config): ConfigDigest {
  const shared = listEntries().filter(
    ({ path, entry }) => entry.isSecret !== true && !OWN.has(path) && !OWN_FILES.has(path),
  )
  const values = shared.flatMap(({ path, env, entry }): [string, unknown][] => {
    const value = path === 'log.level' ? config.logLevel : valueAt(config, path)
    return value === undefined || value === entry.default ? [] : [[env, value]]
  })
  const named: [string, unknown][] = [['NODE_ENV', config.isProduction], ...values]
  const options = Object.fromEntries(
    named.map(([name, value]) => [name, digestOf(`${name}=${JSON.stringify(value)}`)]),
  )
  return { digest: digestOf(JSON.stringify(options)), options }
}

/** Names of the options in which two processes differ. */
export function differentOptions(
  one: ConfigDigest['options'],
  other: ConfigDigest['options'],
): readonly string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].filter((name) => one[name] !== other[name]).toSorted()
}

function valueAt(config: Config, path: string): unknown {
  return path.split('.').reduce<unknown>((group, name) => {
    return typeof group === 'object' && group !== null ? Reflect.get(group, name) : undefined
  }, config)
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, OPTION_CHARACTERS)
}
