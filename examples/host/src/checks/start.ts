import type { Instances } from '@svc/platform'
import type { Store } from '@svc/store'
import type { RedisFacts } from '@svc/store/redis'
import { type Config, ConfigError } from '../config/config.ts'
import type { HostLog } from '../log/log.ts'
import { listProcesses } from '../processes/process-record.ts'
import { readSealingKeys } from '../storage/sealing-keys.ts'
import { type Check, type CheckContext, type CheckResult, runChecks } from './check.ts'
import { hasOutsideDomain } from './sites.ts'
import { FILE_CHECKS } from './files.ts'
import { mailUnset } from './mail.ts'
import { clockRedis, REDIS_SETTINGS, REDIS_USABLE } from './redis.ts'
import { clockBack } from './clock.ts'
import { devPages } from './dev-pages.ts'

/** A start that must not go on; another one would not help. */
export class StartError extends Error {
  override readonly name: string = 'StartError'
  readonly results: readonly CheckResult[]

  constructor(results: readonly CheckResult[]) {
    const lines = results.map(({ id, text, remedy = '' }) =>
      `  - ${id}: ${text} ${remedy}`.trimEnd(),
    )
    super(`the server does not start:\n${lines.join('\n')}`)
    this.results = results
  }
}

type Step = 'clock' | 'files' | 'reached' | 'redis' | 'settings'

/** What is looked at together; the faults of one step are told at once. @see operation.md 2.1 */
const STEPS: Readonly<Record<Step, readonly Check[]>> = {
  files: FILE_CHECKS,
  reached: REDIS_USABLE,
  clock: [clockBack, clockRedis],
  redis: REDIS_SETTINGS,
  settings: [mailUnset(false), devPages],
}

/** How long a Redis that is down is asked again, milliseconds. */
const STORE_WAIT_MS = 30_000
/** After so long it is told, milliseconds. */
const QUIET_MS = 2000

export interface StartChecksOptions {
  readonly config: Config
  readonly clock: { now(): number }
  readonly log: Pick<HostLog, 'warn'>
  /** @defaultValue 30 s */
  readonly storeWaitMs?: number
}

/** The checks of a start, step by step. Warnings go to the log; a step with faults throws a {@link StartError}. */
export class StartChecks {
  readonly #options: StartChecksOptions
  #redis: RedisFacts | undefined

  constructor(options: StartChecksOptions) {
    this.#options = options
  }

  /** Who may read what is secret, and whether the keys can be read. @throws StartError */
  async files(): Promise<void> {
    const { config } = this.#options
    const keys = faultsOf(() => readSealingKeys(config))
    await this.#step('files', {}, keys)
  }

  /**
   * @throws StoreUnavailableError when Redis does not answer within 30 s
   * @throws StartError when the store could never work on it
   */
  async reachStore(): Promise<void> {
    const { config, log, storeWaitMs: waitMs = STORE_WAIT_MS } = this.#options
    if (config.store === 'sqlite') return
    const { probeRedis } = await import('@svc/store/redis')
    const url = config.store
    this.#redis = await probeRedis({ url, waitMs: Math.min(waitMs, QUIET_MS) }).catch(
      (error: Error) => {
        // Its words never hold the password.
        if (error instanceof TypeError) throw new ConfigError([`SVC_STORE: ${error.message}`])
        if (waitMs <= QUIET_MS) throw error
        const text = `${error.message}. It is asked again for ${Math.round(waitMs / 1000)} s.`
        log.warn('check.warning', { check: 'store.reached', text })
        return probeRedis({ url, waitMs: waitMs - QUIET_MS })
      },
    )
    await this.#step('reached')
  }

  /** Whether the clock can be believed. @throws StartError */
  async clock(store: Store): Promise<void> {
    const seen = (await listProcesses(store)).map(({ seenAt }) => seenAt)
    await this.#step('clock', seen.length === 0 ? {} : { lastUsedAt: Math.max(...seen) })
  }

  /** How Redis is set up. @throws StartError */
  redis(): Promise<void> {
    return this.#step('redis')
  }

  /** What owners would miss, and what others would see. @throws StartError */
  async settings(app: StartedApp): Promise<void> {
    await this.#step('settings', {
      hasOutsideDomain: await hasOutsideDomain(app.oauth.instances),
      // Whoever runs the demo is told where they are.
      areDevPagesOn: !this.#options.config.demo && (await app.devPages.areOn()),
    })
  }

  async #step(
    name: Step,
    facts: Partial<CheckContext> = {},
    more: readonly CheckResult[] = [],
  ): Promise<void> {
    const { config, clock, log } = this.#options
    const redis = this.#redis
    const context = { config, clock, ...(redis !== undefined && { redis }), ...facts }
    const results = [...(await runChecks(STEPS[name], context)), ...more]
    for (const { id, state, text, remedy } of results) {
      if (state === 'warning') warn(log, id, text, remedy)
    }
    const faults = results.filter(({ state }) => state === 'fault')
    if (faults.length > 0) throw new StartError(faults)
  }
}

function warn(
  log: StartChecksOptions['log'],
  check: string,
  text: string,
  remedy: string | undefined,
): void {
  log.warn('check.warning', { check, text, ...(remedy !== undefined && { remedy }) })
}

/** What is asked of a host that is assembled. */
export interface StartedApp {
  readonly oauth: { readonly instances: Pick<Instances, 'list'> }
  readonly devPages: { areOn(): Promise<boolean> }
}

/** The faults of something that reads the configuration's files. */
function faultsOf(read: () => unknown): CheckResult[] {
  try {
    read()
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map((text) => ({ id: 'keys.open', state: 'fault', text }))
  }
}
