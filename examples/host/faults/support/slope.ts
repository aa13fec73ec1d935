/** One look at a process. */
export interface Sample {
  readonly atMs: number
  readonly rssBytes: number
}

/** Bytes a minute, by least squares. */
export function slopeOf(samples: readonly Sample[]): number {
  const count = samples.length
  if (count < 2) return 0
  const meanAt = samples.reduce((sum, { atMs }) => sum + atMs, 0) / count
  const mean = samples.reduce((sum, { rssBytes }) => sum + rssBytes, 0) / count
  let over = 0
  let under = 0
  for (const { atMs, rssBytes } of samples) {
    over += (atMs - meanAt) * (rssBytes - mean)
    under += (atMs - meanAt) ** 2
  }
  return (over / under) * 60_000
}

/** Whether a count is back where it began, give or take one in a hundred. */
export function isBack(start: number, end: number): boolean {
  return end - start <= Math.max(1, start * 0.01)
}
