import { DAY_MS } from '@svc/platform'
import { systemClock } from '@svc/store'
import { type FlagshipConfig, resolveFlagship } from './certification/attestation-config.ts'
import { NO_SHARINGS } from './authorize/sharings.ts'
import { checkDeprecatedApp } from './authorize/deprecated-apps.ts'
import { createSealer } from './keys/sealer.ts'
import { DEFAULT_LIFETIMES } from './lifetimes.ts'
import { DEFAULT_LIMITS, type OAuthOptions, type ResolvedOptions } from './options.ts'
import type { Logger } from './ports.ts'
import { createForbiddenScopes } from './scopes/forbidden.ts'

const NAMES = [
  'apps',
  'cache',
  'clock',
  'consent',
  'deprecatedApps',
  'flagship',
  'forbiddenScopes',
  'isHttps',
  'keys',
  'konnectors',
  'lifetimes',
  'limits',
  'log',
  'namespace',
  'requirePkce',
  'sharings',
  'store',
  'subdomains',
  'trustProxy',
] as const satisfies readonly (keyof OAuthOptions)[]
const NAMESPACE = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/
/** Largest value of each lifetime. Milliseconds. */
const LONGEST = {
  authorizationCodeMs: 600_000,
  accessTokenMs: DAY_MS,
  refreshTokenMs: 3650 * DAY_MS,
  pendingClientMs: 30 * DAY_MS,
} as const
const CACHES = {
  instances: { default: 1000, max: 1_000_000 },
  engines: { default: 128, max: 100_000 },
  tokens: { default: 10_000, max: 10_000_000 },
} as const

const silent: Logger = { info: () => {}, warn: () => {}, error: () => {} }

/**
 * The options with every default filled in.
 * @throws TypeError listing every fault with its path
 */
export function resolveOptions(options: OAuthOptions): ResolvedOptions {
  const faults = createFaults()
  // Callers without types exist: what is here may be anything.
  const given: Readonly<Record<string, unknown>> = isObject(options) ? { ...options } : {}
  if (!isObject(options)) faults.add('options', 'must be an object')
  for (const name of Object.keys(given)) {
    if (!(NAMES as readonly string[]).includes(name)) faults.add(name, 'is not an option')
  }
  faults.methods('store', given['store'], ['get', 'getMany', 'write', 'take', 'hit', 'list'])
  faults.methods('apps', given['apps'], ['installed', 'listInstalled', 'available'])
  faults.attempt('keys', () => createSealer(options.keys))
  const { namespace = 'io.svc', subdomains = 'nested', trustProxy = 0 } = options
  if (!matches(NAMESPACE, namespace)) faults.add('namespace', 'must look like "io.svc"')
  if (subdomains !== 'nested' && subdomains !== 'flat') {
    faults.add('subdomains', 'must be "nested" or "flat"')
  }
  faults.optionalFunction('isHttps', given['isHttps'])
  faults.integer('trustProxy', trustProxy, 0, 10)
  if (typeof given['requirePkce'] !== 'boolean') {
    faults.optionalFunction('requirePkce', given['requirePkce'])
  }
  if (options.forbiddenScopes !== undefined && matches(NAMESPACE, namespace)) {
    faults.attempt('forbiddenScopes', () =>
      createForbiddenScopes(namespace, options.forbiddenScopes),
    )
  }
  let flagship: FlagshipConfig = resolveFlagship()
  faults.attempt('flagship', () => {
    flagship = resolveFlagship(options.flagship)
  })
  const { konnectors } = options
  if (konnectors !== undefined) faults.methods('konnectors', konnectors, ['installed'])
  const choose: unknown = options.consent?.choose ?? true
  if (typeof choose !== 'boolean') faults.add('consent.choose', 'must be true or false')
  const { sharings = NO_SHARINGS } = options
  faults.methods('sharings', sharings, ['find', 'parseRules', 'accept', 'cancelUrl'])
  const { deprecatedApps = [] } = options
  faults.attempt('deprecatedApps', () => {
    for (const [place, app] of deprecatedApps.entries()) checkDeprecatedApp(app, place)
  })
  const lifetimes = { ...DEFAULT_LIFETIMES, ...options.lifetimes }
  for (const [name, value] of Object.entries(lifetimes)) {
    const max: number | undefined = (LONGEST as Readonly<Record<string, number>>)[name]
    if (max === undefined) faults.add(`lifetimes.${name}`, 'is not an option')
    else faults.integer(`lifetimes.${name}`, value, 1000, max, 1000)
  }
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) faults.add(`limits.${name}`, 'is not an option')
    faults.integer(`limits.${name}.limit`, value?.limit, 1, 1_000_000_000)
    faults.integer(`limits.${name}.windowMs`, value?.windowMs, 1000, 30 * DAY_MS)
  }
  const cache = { instances: 0, engines: 0, tokens: 0 }
  for (const name of ['instances', 'engines', 'tokens'] as const) {
    cache[name] = options.cache?.[name] ?? CACHES[name].default
    faults.integer(`cache.${name}`, cache[name], 1, CACHES[name].max)
  }
  const { clock = systemClock, log = silent } = options
  faults.methods('clock', clock, ['now'])
  faults.methods('log', log, ['info', 'warn', 'error'])
  faults.report()
  return {
    store: options.store,
    apps: options.apps,
    keys: options.keys,
    namespace,
    subdomains,
    isHttps: options.isHttps ?? isHttpsByDefault,
    trustProxy,
    forbiddenScopes: options.forbiddenScopes,
    requirePkce: options.requirePkce ?? false,
    deprecatedApps,
    sharings,
    flagship,
    konnectors,
    consent: { choose: choose === true },
    lifetimes,
    limits,
    cache,
    clock,
    log,
  }
}

/** https, but for `localhost` and names below it (D53). */
function isHttpsByDefault(domain: string): boolean {
  const name = domain.split(':', 1)[0] ?? ''
  return name !== 'localhost' && !name.endsWith('.localhost')
}

function createFaults() {
  const faults: string[] = []
  const add = (path: string, fault: string): void => {
    faults.push(`${path === 'options' ? path : `options.${path}`} ${fault}`)
  }
  return {
    add,
    /** Keeps what the attempt throws; its message names the path. */
    attempt(path: string, attempt: () => unknown): void {
      try {
        attempt()
      } catch (error) {
        const message = error instanceof TypeError ? error.message : ''
        if (message.startsWith(`options.${path}`)) faults.push(message)
        else add(path, 'is malformed')
      }
    },
    integer(path: string, value: unknown, min: number, max: number, step = 1): void {
      const isWhole = Number.isSafeInteger(value) && (value as number) % step === 0
      if (isWhole && (value as number) >= min && (value as number) <= max) return
      const unit = step === 1 ? '' : `, in steps of ${step}`
      add(path, `must be a whole number from ${min} to ${max}${unit}`)
    },
    methods(path: string, value: unknown, names: readonly string[]): void {
      const missing = names.filter(
        (name) =>
          typeof (value as Record<string, unknown> | null | undefined)?.[name] !== 'function',
      )
      if (missing.length > 0) add(path, `must have the methods ${missing.join(', ')}`)
    },
    optionalFunction(path: string, value: unknown): void {
      if (value !== undefined && typeof value !== 'function') add(path, 'must be a function')
    },
    report(): void {
      if (faults.length > 0) throw new TypeError(faults.join('\n'))
    },
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && value.length <= 64 && pattern.test(value)
}
