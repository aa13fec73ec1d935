import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a condition. @throws Error when it does not hold within 5 s */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`never: ${String(holds)}`)
    await sleep(2)
  }
}
