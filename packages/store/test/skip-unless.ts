/** The part of mocha's context that skips. */
interface Skippable {
  skip(): unknown
  readonly test?: { fullTitle(): string } | undefined
}

/** Skips with a printed reason when the machine lacks something; under `CI=true` that is a failure. */
export function skipUnless(context: Skippable, isPossible: boolean, reason: string): void {
  if (isPossible) return
  if (process.env['CI'] === 'true') throw new Error(reason)
  process.stderr.write(`skipped: ${context.test?.fullTitle() ?? 'a suite'}: ${reason}\n`)
  context.skip()
}
