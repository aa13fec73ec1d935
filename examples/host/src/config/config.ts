import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@svc/platform'
import type { ErrorObject } from 'ajv'
import type { AssistantValues } from './assistants.ts'
import type { ConnectorsValues } from './connectors.ts'
import type { FlagshipValues } from './flagship.ts'
import type { NotificationValues } from './notifications.ts'
import { isLoopback } from './own-names.ts'
import { readSize } from './size.ts'
import { fileSchema, listEntries, memberOf, type NamedEntry } from './entries.ts'
import { readSecretFiles, type SecretFile } from './secret-files.ts'
import { schemaFaults } from './surely-fits.ts'

/** The host's configuration, checked. @see docs/configuration.md */
export interface Config {
  readonly isProduction: boolean
  /** Size of the process's thread pool, as `UV_THREADPOOL_SIZE` says. */
  readonly threadPoolSize: number
  readonly port: number
  readonly host?: string
  readonly adminPort: number
  readonly adminUrl?: string
  readonly adminToken?: string
  /** Absent: there is no internal listener. */
  readonly internalPort?: number
  readonly internalHost: string
  readonly metricsToken?: string
  /** Absolute path. */
  readonly dataDir: string
  /** `sqlite`, or one or several Redis URLs separated by commas. */
  readonly store: string
  /** Replicas that a write waits for. */
  readonly storeReplicas: number
  readonly keys?: string
  readonly keysFile?: string
  /** Reverse proxies in front. */
  readonly trustProxy: number
  /** How long new connections are still taken once the process was told to stop, milliseconds. */
  readonly drain: number
  /** Paths of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly namespace: string
  readonly subdomains: 'nested' | 'flat'
  /** Hosts separated by commas. */
  readonly confirmHosts?: string
  readonly demo: boolean
  /** The demo apps, and the data that they keep. */
  readonly demoApps: boolean
  readonly demoDomain?: string
  readonly devPages?: 'off'
  readonly smtpUrl?: string
  readonly mail: {
    readonly from?: string
    readonly fromName?: string
    readonly replyTo?: string
    readonly ehlo?: string
    readonly dkimDomain?: string
    readonly dkimSelector?: string
    readonly dkimKeyFile?: string
  }
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  readonly consentChoose: boolean
  readonly deprecatedAppsFile?: string
  readonly raiseLimitUrl?: string
  readonly requirePkce: boolean
  readonly revokeOauthOnReset: 'none' | 'flagship' | 'all'
  readonly accountTypesFile?: string
  /** CIDRs separated by commas, or `none`. */
  readonly trustedNetworks?: string
  readonly assistants: AssistantValues
  readonly connectors: ConnectorsValues
  readonly flagship: FlagshipValues
  readonly notifications: NotificationValues
  readonly limits: Readonly<Record<string, number>>
  /** Milliseconds, only those that are set. */
  readonly lifetimes: Readonly<Record<string, number>>
  /** Where secrets came from that variables ending in `_FILE` name. */
  readonly secretFiles: readonly SecretFile[]
  /** Folder of the credentials that systemd hands over. */
  readonly credentialsDirectory?: string
}

/** What entries alone say. */
type ParsedConfig = Omit<Config, 'credentialsDirectory' | 'secretFiles' | 'threadPoolSize'>

/** The configuration cannot be used; `faults` holds every reason, without any value. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`the configuration has faults:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

type Value = string | number | boolean | object
type Values = Readonly<Record<string, Value | undefined>>
type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the configuration from the environment and the JSON file that `SVC_CONFIG` names; the environment wins.
 * The only reader of `process.env`.
 * @throws ConfigError with every fault at once
 */
export function loadConfig(env: Environment = process.env): Config {
  const entries = listEntries()
  const faults: string[] = []
  const file = readFile(env['SVC_CONFIG'], faults)
  const secrets = readSecretFiles(env, entries, faults)
  const given = { ...env, ...Object.fromEntries(secrets.values) }
  const fromEnv = readEnvironment(given, entries, secrets.names, faults)
  const values = check(entries, file, fromEnv, faults)
  checkTogether(values, faults)
  if (env['NODE_ENV'] === 'production' && values['flagship.skipCertification'] === true) {
    faults.push('SVC_FLAGSHIP_SKIP_CERTIFICATION: not in production')
  }
  if (faults.length > 0) throw new ConfigError(faults)
  const credentialsDirectory = env['CREDENTIALS_DIRECTORY']
  const pool = Number(env['UV_THREADPOOL_SIZE'] ?? 4)
  return {
    ...toConfig(values, env['NODE_ENV'] === 'production'),
    threadPoolSize: Number.isInteger(pool) && pool >= 1 ? Math.min(pool, 1024) : 4,
    secretFiles: secrets.files,
    ...(credentialsDirectory !== undefined && { credentialsDirectory }),
  }
}

function readFile(path: string | undefined, faults: string[]): unknown {
  if (path === undefined || path === '') return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    faults.push(`SVC_CONFIG: the file ${reason}`)
    return {}
  }
}

/** An empty variable counts as unset, the way compose files leave them. */
function readEnvironment(
  env: Environment,
  entries: readonly NamedEntry[],
  known: ReadonlySet<string>,
  faults: string[],
): Map<string, Value> {
  const byName = new Map(entries.map((named) => [named.env, named]))
  const values = new Map<string, Value>()
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith('SVC_') || name === 'SVC_CONFIG' || text === undefined) continue
    const named = byName.get(name)
    if (known.has(name)) continue
    if (named === undefined) faults.push(`${name}: unknown entry`)
    else if (text !== '') values.set(named.path, fromText(named, text))
  }
  return values
}

const SWITCHES = new Map([
  ['1', true],
  ['0', false],
  ['true', true],
  ['false', false],
  ['on', true],
  ['off', false],
  ['yes', true],
  ['no', false],
])

/** What cannot be read stays text, so that the schema names the fault. */
function fromText({ entry, path }: NamedEntry, text: string): Value {
  if (entry.type === 'json') return fromJson(text)
  if (entry.type === 'boolean') return SWITCHES.get(text.toLowerCase()) ?? text
  if (entry.type !== 'integer') return text
  if (/^[0-9]{1,12}$/.test(text)) return Number(text)
  const isOn = path === 'trustProxy' ? SWITCHES.get(text.toLowerCase()) : undefined
  return isOn === undefined ? text : Number(isOn)
}

function fromJson(text: string): Value {
  try {
    return JSON.parse(text) as Value // The schema judges it.
  } catch {
    return text
  }
}

function check(
  entries: readonly NamedEntry[],
  file: unknown,
  fromEnv: ReadonlyMap<string, Value>,
  faults: string[],
): Values {
  faults.push(...describe(schemaFaults(fileSchema(file), file), (path) => `SVC_CONFIG: ${path}`))
  const nameOf = (path: string): string =>
    entries.find((each) => path === each.path || path.startsWith(`${each.path}.`))?.env ?? path
  const given = nest(fromEnv)
  faults.push(...describe(schemaFaults(fileSchema(given), given), nameOf))
  return Object.fromEntries(
    entries.map(({ path, entry }) => [
      path,
      fromEnv.get(path) ?? (at(file, path) as string | undefined) ?? entry.default,
    ]),
  )
}

function describe(errors: readonly ErrorObject[], name: (path: string) => string): string[] {
  return errors.map((error) => {
    const parent = error.instancePath.slice(1).replaceAll('/', '.')
    if (error.keyword === 'additionalProperties') {
      const extra = String(error.params['additionalProperty'])
      return `${name(parent === '' ? extra : `${parent}.${extra}`)}: unknown entry`
    }
    if (error.keyword === 'enum') {
      const allowed = error.params['allowedValues'] as readonly string[]
      return `${name(parent)}: must be one of ${allowed.join(', ')}`
    }
    return `${name(parent === '' ? 'the whole file' : parent)}: ${error.message ?? error.keyword}`
  })
}

function nest(flat: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const nested: Record<string, unknown> = {}
  for (const [path, value] of flat) {
    const names = path.split('.')
    const last = names.pop() as string // `split` answers at least one part.
    let group = nested
    for (const name of names) group = (group[name] ??= {}) as Record<string, unknown> // only groups stand above an entry
    group[last] = value
  }
  return nested
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(memberOf, value)
}

/** What no entry's schema can say alone. */
function checkTogether(values: Values, faults: string[]): void {
  const both = (one: string, other: string): boolean =>
    values[one] !== undefined && values[other] !== undefined
  if (both('keys', 'keysFile')) faults.push('SVC_KEYS_FILE: not together with SVC_KEYS')
  if ((values['tls.cert'] === undefined) !== (values['tls.key'] === undefined)) {
    faults.push('SVC_TLS_CERT, SVC_TLS_KEY: one is useless without the other')
  }
  if (drainOf(values) > LONGEST_DRAIN_MS) faults.push('SVC_DRAIN: must be at most 7s')
  const isInside = isLoopback(String(values['internalHost']))
  if (values['internalPort'] !== undefined && !isInside && values['metricsToken'] === undefined) {
    faults.push('SVC_METRICS_TOKEN: must be set, since SVC_INTERNAL_HOST is not loopback')
  }
}

function toConfig(values: Values, isProduction: boolean): ParsedConfig {
  const group = (prefix: string): [string, Value][] =>
    Object.entries(values).flatMap(([path, value]) =>
      path.startsWith(prefix) && value !== undefined ? [[path.slice(prefix.length), value]] : [],
    )
  const tls = group('tls.')
  const plain = Object.fromEntries(
    Object.entries(values).filter(([path, value]) => value !== undefined && !path.includes('.')),
  )
  // The schema has checked every entry's type.
  return {
    demo: !isProduction,
    demoApps: !isProduction,
    ...plain,
    isProduction,
    dataDir: resolve(String(values['dataDir'])),
    drain: drainOf(values),
    ...(tls.length > 0 && { tls: Object.fromEntries(tls) }),
    mail: Object.fromEntries(group('mail.')),
    logLevel: values['log.level'],
    assistants: Object.fromEntries(group('assistants.').filter(([name]) => name !== 'tokenLife')),
    connectors: Object.fromEntries(group('connectors.')),
    notifications: Object.fromEntries(group('notifications.')),
    flagship: Object.fromEntries(
      group('flagship.').map(([name, value]) => [
        name,
        name === 'maxTokenAge' ? toMilliseconds(String(value)) : value,
      ]),
    ),
    limits: Object.fromEntries(
      group('limits.').map(([name, value]) => [
        name,
        typeof value === 'string' ? readSize(value) : value,
      ]),
    ),
    lifetimes: Object.fromEntries(
      [
        ...group('lifetimes.'),
        ...group('assistants.').filter(([name]) => name === 'tokenLife'),
      ].map(([name, text]) => [name, toMilliseconds(String(text))]),
    ),
  } as unknown as ParsedConfig
}

/** A stop takes at most 10 s, and requests under way want some of it. @see security.md 118 */
const LONGEST_DRAIN_MS = 7 * SECOND_MS

/** With the embedded store nobody else can answer meanwhile: the sooner it ends, the sooner the next one begins. */
function drainOf(values: Values): number {
  return toMilliseconds(String(values['drain'] ?? (values['store'] === 'sqlite' ? '0s' : '5s')))
}

const UNIT_MS = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const

function toMilliseconds(text: string): number {
  if (text === '0') return 0
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? []
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
}
