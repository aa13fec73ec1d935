import type { AccountType } from '../account-types/account-type.ts'
import type { ConnectorsFigures } from '../connectors.ts'
import type { ConnectorsServices } from '../services.ts'
import { loggable } from './provider-errors.ts'
import type { CallAbout, CallClass } from './provider.ts'

export type CallKind = 'exchange' | 'refresh' | 'revoke' | 'metadata' | 'keys'

/** What the log says of a call. */
export interface CallOutcome {
  readonly class: CallClass
  /** Absent: no answer came. */
  readonly status?: number
  readonly reason?: string
  /** In the provider's words. */
  readonly description?: string
  /** @defaultValue `1` */
  readonly attempts?: number
}

/** Bytes. @see connectors.md 6.1 (1) */
export const MAX_ANSWER_BYTES = 1_048_576

/**
 * Counts a call that ended, and writes its line into the log.
 * @param startedAt - of `performance.now()`
 * @param secrets - what was sent and must not be shown
 * @see connectors.md 13
 */
export function noteCall(
  { calls, log }: Pick<ConnectorsServices, 'calls' | 'log'>,
  type: AccountType,
  kind: CallKind,
  startedAt: number,
  outcome: CallOutcome,
  about: CallAbout = {},
  secrets: readonly string[] = [],
): void {
  const { reason, description, attempts = 1 } = outcome
  count(calls, type.id, outcome.class)
  const fields = {
    type: type.id,
    kind,
    mode: type.tokenMode,
    class: outcome.class,
    ms: Math.round(performance.now() - startedAt),
    ...(outcome.status !== undefined && { status: outcome.status }),
    ...(attempts > 1 && { attempts }),
    ...(reason !== undefined && { reason: loggable(reason, secrets) }),
    ...(description !== undefined && { description: loggable(description, secrets) }),
    ...(about.instance !== undefined && { domain: about.instance }),
    ...(about.requestId !== undefined && { request_id: about.requestId }),
  }
  if (outcome.class === 'ok') log.info('provider.called', fields)
  else log.warn('provider.failed', fields)
}

/** A copy of the counts, for monitoring. */
export function readFigures({ calls }: Pick<ConnectorsServices, 'calls'>): ConnectorsFigures {
  return {
    calls: Object.fromEntries(
      [...calls].map(([type, counts]) => [type, Object.fromEntries(counts)]),
    ),
  }
}

function count(calls: ConnectorsServices['calls'], type: string, outcome: CallClass): void {
  const counts = calls.get(type) ?? new Map<CallClass, number>()
  calls.set(type, counts)
  counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
}
