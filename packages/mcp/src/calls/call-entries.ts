import type { Change } from '@svc/store'

/** What a client did with one call. No content, and nothing that it looked for. @see assistants.md 5.8 */
export interface CallEntry {
  readonly instance: string
  readonly grantId: string
  readonly clientId: string
  readonly tool: string
  readonly type?: string
  readonly documents: number
  readonly bytes: number
  readonly outcome: string
  readonly writes?: readonly { readonly id: string; readonly revision: string }[]
}

/** Keeps what clients did. */
export interface CallEntries {
  /** Durable when it resolves. @throws when it cannot be written */
  recordCall(call: CallEntry): Promise<void>
  /**
   * The changes that note a call, for the very write of what it does: its documents get the revision of that write.
   */
  callChanges(call: CallEntry): Promise<readonly Change[]>
}
