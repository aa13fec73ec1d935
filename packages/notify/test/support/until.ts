import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a condition, looking again every few milliseconds. @throws Error when it does not hold in time */
export async function until(
  holds: () => boolean | Promise<boolean>,
  limitMs = 8000,
): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`never within ${limitMs} ms: ${String(holds)}`)
    await sleep(4)
  }
}
