/** A call of a tool that ended, for whoever counts. It names no client and no instance. */
export interface CallEvent {
  readonly tool: string
  /** `ok`, or the code of what the client was told instead. */
  readonly outcome: string
  readonly seconds: number
  /** How many documents the client read or wrote. */
  readonly documents: number
  readonly isWrite: boolean
}
