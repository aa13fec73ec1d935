import type { RedisFacts } from '@svc/store/redis'
import type { Store } from '@svc/store'
import type { Config } from '../config/config.ts'

export type CheckState = 'ok' | 'warning' | 'fault'

/** What a check found. */
export interface Finding {
  readonly state: CheckState
  /** One sentence. */
  readonly text: string
  /** What to do, one sentence. */
  readonly remedy?: string
}

/** A finding with the check that made it. */
export interface CheckResult extends Finding {
  readonly id: string
}

/** An instance as the checks see it. */
export interface Site {
  readonly domain: string
  /** Host of one of its apps, which the wildcard has to cover. */
  readonly appHost: string
  readonly isHttps: boolean
}

/** What checks may look at. Members are absent where they cannot be had. */
export interface CheckContext {
  readonly config: Config
  readonly clock: { now(): number }
  readonly store?: Store
  readonly redis?: RedisFacts
  /** Some of the instances; all of them when there are few. */
  readonly sites?: readonly Site[]
  /** Whether any instance has a domain that is not of this machine. */
  readonly hasOutsideDomain?: boolean
  readonly areDevPagesOn?: boolean
  /** When a process last said that it uses the store, milliseconds since the epoch. */
  readonly lastUsedAt?: number
}

/** One row of the tables that the start and `svc doctor` share. @see operation.md 2.2 */
export interface Check<Context = CheckContext> {
  readonly id: string
  /** `start`: also before the server listens. `doctor`: only when somebody asks. */
  readonly when: 'doctor' | 'start'
  /** Asks others over the network. */
  readonly isNetwork?: true
  run(context: Context): readonly Finding[] | Promise<readonly Finding[]>
}

/** Runs checks side by side; results stay in the order of the table. One that breaks is a fault of its own. */
export async function runChecks<Context>(
  checks: readonly Check<Context>[],
  context: Context,
): Promise<CheckResult[]> {
  const results = checks.map(async ({ id, run }): Promise<CheckResult[]> => {
    try {
      return (await run(context)).map((finding) => ({ id, ...finding }))
    } catch (error) {
      return [{ id, state: 'fault', text: `The check broke: ${(error as Error).message}.` }]
    }
  })
  return (await Promise.all(results)).flat()
}

export function ok(text: string): Finding {
  return { state: 'ok', text }
}

export function warning(text: string, remedy: string): Finding {
  return { state: 'warning', text, remedy }
}

export function fault(text: string, remedy: string): Finding {
  return { state: 'fault', text, remedy }
}

/** As a line of text: `fault  redis.eviction  What is wrong. What to do.` */
export function lineOf({ state, id, text, remedy }: CheckResult): string {
  const words = remedy === undefined ? text : `${text} ${remedy}`
  return `${state.padEnd(7)}  ${id.padEnd(17)}  ${words}`
}
