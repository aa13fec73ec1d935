import { until as untilFound } from '@svc/testkit'

/** Resolves when the condition holds. @throws Error when it does not within the time budget of `limitMs` */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitMs = 8000,
): Promise<void> {
  await untilFound(condition, { limitMs, describe: () => String(condition) })
}
