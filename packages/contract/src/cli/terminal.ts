/** What the command line needs of the process. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Most memory that the process had so far; MiB. */
  memory(): number
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal
}
