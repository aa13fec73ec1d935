/** Resolves when the work has ended, or when the time is over. */
export async function endOrTime(work: Promise<void>, ms: number): Promise<void> {
  const time = Promise.withResolvers<void>()
  const timer = setTimeout(time.resolve, ms)
  try {
    await Promise.race([work, time.promise])
  } finally {
    clearTimeout(timer)
  }
}
