import type { Instance, InstanceId } from '@svc/platform'
import { type CheckChange, type Key, recordKey } from '@svc/store'
import type { OAuthServices } from '../services.ts'

export const PREFERENCES_KIND = 'assistant-preferences'
/** The one of an instance; it is there while none may connect. */
export const NONE_MAY = 'none-may'

function keyOf(instanceId: InstanceId): Key {
  return recordKey(instanceId, PREFERENCES_KIND, NONE_MAY)
}

/** Whether the owner lets assistants connect at all. True until the owner says otherwise. @see assistants.md 5.6 */
export async function mayConnect(
  { store }: Pick<OAuthServices, 'store'>,
  instance: Instance,
): Promise<boolean> {
  return (await store.get(keyOf(instance.id))) === undefined
}

export async function writeMayConnect(
  { store, clock }: Pick<OAuthServices, 'clock' | 'store'>,
  instance: Instance,
  isAllowed: boolean,
): Promise<void> {
  const key = keyOf(instance.id)
  await store.write([
    isAllowed ? { op: 'delete', key } : { op: 'put', key, value: { since: clock.now() } },
  ])
}

/** The condition under which a grant of a resource is made: nobody is let in while the owner shuts the door. */
export function whileAllowed(instance: Instance): CheckChange {
  return { op: 'check', key: keyOf(instance.id), ifAbsent: true }
}
