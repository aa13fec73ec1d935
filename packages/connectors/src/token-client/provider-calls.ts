import type { Logger } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import type { CallFigures } from '../figures.ts'
import { loggable } from './provider-errors.ts'
import type { CallAbout, FailureClass } from './provider.ts'

export type CallKind = 'exchange' | 'refresh' | 'revoke' | 'metadata' | 'keys'

/** What the log says of a call. */
export interface CallOutcome {
  readonly class: FailureClass | 'ok'
  /** Absent: no answer came. */
  readonly status?: number
  readonly reason?: string
  /** In the provider's words. */
  readonly description?: string
  /** @defaultValue `1` */
  readonly attempts?: number
}

/** Tells of calls, one line each. */
export interface CallLog {
  /**
   * @param startedAt - of `performance.now()`
   * @param secrets - what was sent and must not be shown
   */
  tell(
    type: AccountType,
    kind: CallKind,
    startedAt: number,
    outcome: CallOutcome,
    about?: CallAbout,
    secrets?: readonly string[],
  ): void
}

/** @see connectors.md 13 */
export function createCallLog(log: Logger, figures?: Pick<CallFigures, 'note'>): CallLog {
  return {
    tell: (type, kind, startedAt, outcome, about = {}, secrets = []) => {
      const { reason, description, attempts = 1 } = outcome
      figures?.note(type.id, outcome.class)
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
        ...(about.instance !== undefined && { instance: about.instance }),
        ...(about.requestId !== undefined && { requestId: about.requestId }),
      }
      if (outcome.class === 'ok') log.info('provider.called', fields)
      else log.warn('provider.called', fields)
    },
  }
}
