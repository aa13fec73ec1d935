import type { FailureClass } from './token-client/provider.ts'

/** Counts since this process began, for monitoring. @see connectors.md 13 */
export interface ConnectorsFigures {
  /** Calls to providers that ended, by id of the account type and how they ended. */
  readonly calls: Readonly<Record<string, Readonly<Partial<Record<CallClass, number>>>>>
}

/** How a call to a provider ended. */
export type CallClass = FailureClass | 'ok'

/** Counts the calls of this process. */
export interface CallFigures {
  note(accountType: string, outcome: CallClass): void
  /** A copy. */
  read(): ConnectorsFigures
}

export function createCallFigures(): CallFigures {
  const calls = new Map<string, Map<CallClass, number>>()

  return {
    note(accountType, outcome) {
      const counts = calls.get(accountType) ?? new Map<CallClass, number>()
      calls.set(accountType, counts)
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    },
    read: () => ({
      calls: Object.fromEntries(
        [...calls].map(([type, counts]) => [type, Object.fromEntries(counts)]),
      ),
    }),
  }
}
