/** Longest time that providers keep a push: 28 days. */
const LONGEST_S = 2_419_200

/** A time to live as providers take it: whole seconds, at least one, at most 28 days. */
export function wholeSeconds(ttlMs: number): number {
  return Math.min(Math.max(Math.floor(ttlMs / 1000), 1), LONGEST_S)
}
