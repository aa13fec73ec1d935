/**
 * Processor time that this process spent on some work, in milliseconds: waiting for a turn does not count. For work
 * that has to stay small however long its input is. Processes that share caches still slow each other down: its upper
 * bound is a scaled limit.
 */
export async function cpuMs(work: () => Promise<unknown> | void): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
