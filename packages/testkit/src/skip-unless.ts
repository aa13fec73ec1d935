/** The part of mocha's context that skips. */
export interface Skippable {
  skip(): unknown
  readonly test?: { fullTitle(): string } | undefined
}

/**
 * Skips the suite or test with a printed reason when the machine lacks something. Under `CI=true` that is a failure:
 * there everything must run.
 * @throws Error under CI
 */
export function skipUnless(context: Skippable, isPossible: boolean, reason: string): void {
  if (isPossible) return
  if (process.env['CI'] === 'true') throw new Error(reason)
  // The test runner of the repository collects lines that begin like this.
  process.stderr.write(`skipped: ${context.test?.fullTitle() ?? 'a suite'}: ${reason}\n`)
  context.skip()
}
