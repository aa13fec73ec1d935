import type { Instance, InstanceId } from '@svc/platform'
import type { NotifyServices } from '../services.ts'

type WakeUpServices = Pick<NotifyServices, 'clock' | 'store'>

/** Queue of the scheduler; a wake-up's id is that of an instance whose held-back notifications are looked at again. */
export const HELD_BACK_QUEUE = 'notifications-held'
/** How long a change may take before it is looked at too early. Milliseconds. */
const GUARD_MS = 5000
/** Processes that see the same change round to whole seconds: the scheduler keeps one wake-up of theirs. */
const STEP_MS = 1000

/**
 * Makes a change on which held-back notifications depend. Those that it lets go are due soon after it, regardless
 * of this process. @see docs/decisions/0223
 */
export async function changeChoices<Result>(
  services: WakeUpServices,
  { id }: Pick<Instance, 'id'>,
  change: () => Promise<Result>,
): Promise<Result> {
  const { clock, store } = services
  await store.scheduler.at(HELD_BACK_QUEUE, id, nextStep(clock.now() + GUARD_MS))
  const result = await change()
  await store.scheduler.at(HELD_BACK_QUEUE, id, clock.now())
  return result
}

/** Has held-back notifications looked at again within a second: something changed on which they depend. */
export async function lookAtHeldBack(
  { clock, store }: WakeUpServices,
  id: InstanceId,
): Promise<void> {
  await store.scheduler.at(HELD_BACK_QUEUE, id, nextStep(clock.now() + 1))
}

function nextStep(instant: number): number {
  return Math.ceil(instant / STEP_MS) * STEP_MS
}
