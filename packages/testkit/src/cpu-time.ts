/**
 * Processor time that this process spent on some work, in milliseconds: what else the machine does, does not count.
 * For work that has to stay small however long its input is.
 */
export async function cpuMs(work: () => Promise<unknown> | void): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
