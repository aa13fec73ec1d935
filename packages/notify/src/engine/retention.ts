import { linkedSlug } from '@svc/oauth-core'
import type { Instance, InstanceId } from '@svc/platform'
import type { Originator } from '../outbox/notification.ts'
import { isUnfinished, type SourceOwner } from '../outbox/notification-record.ts'
import { PURGE_QUEUE } from '../outbox/wake-ups.ts'
import type { NotifyServices } from '../services.ts'
import { type Background, processQueue } from './background.ts'
import { boundKept, FinishedCount } from './bound.ts'
import { cancelLinked, removeSource } from './gone-sources.ts'
import { purgeInstance } from './purge.ts'

/** Who may be gone. */
export interface GoneSource extends SourceOwner {
  readonly originator: Extract<Originator, 'app' | 'konnector' | 'oauth'>
}

type RetentionServices = Pick<
  NotifyServices,
  'apps' | 'clock' | 'lifetimes' | 'log' | 'oauth' | 'outbox' | 'store'
>

/** When a removal that was cut short goes on. Milliseconds. */
const RETRY_MS = 60_000
/** Processes that schedule the same end round to whole seconds: the scheduler keeps one wake-up of theirs. */
const STEP_MS = 1000
/** In place of an originator in wake-ups: a client of the app that the rest names. */
const LINKED = 'linked'
/** In place of an originator in wake-ups: what is kept is counted. */
const BOUND = 'bound'

/**
 * Lets go of what is over, of sources that are gone, and of instances that are removed.
 * @param maxKept - notifications of an instance
 * @see notifications.md 14; operation.md 8.1
 */
export function createRetention(services: RetentionServices, maxKept: number): Background {
  const { oauth, outbox, store } = services
  const finished = new FinishedCount(maxKept)
  const endListening = [
    outbox.onWritten(({ before, after: { instanceId, record } }) => {
      if (isUnfinished(record) || (before !== undefined && !isUnfinished(before))) return
      if (finished.add(instanceId)) lookSoon(services, `${instanceId}/${BOUND}`)
    }),
    oauth.onRevoked({
      onRevoked({ kind, instanceId, id: owner }) {
        if (kind !== 'app') return
        for (const originator of ['app', 'konnector', 'oauth'] as const) {
          lookSoon(services, wakeUpOf(instanceId, { originator, owner }))
        }
      },
      // Missed ones are handled when a notification is due, or expire.
      onGap() {},
    }),
    oauth.on('client.deleted', ({ instance, client: { id, metadata } }) => {
      const slug = linkedSlug(metadata.software_id)
      lookSoon(
        services,
        slug === undefined
          ? wakeUpOf(instance.id, { originator: 'oauth', owner: id })
          : `${instance.id}/${LINKED}/${slug}/${id}`,
      )
    }),
  ]
  return processQueue(store, PURGE_QUEUE, (id) => handleWakeUp(services, id, maxKept), endListening)
}

/** Cancels and removes what a source posted; goes on after a restart when it is cut short. */
export async function removeGoneSource(
  services: Pick<NotifyServices, 'clock' | 'outbox' | 'store'>,
  { id }: Pick<Instance, 'id'>,
  source: GoneSource,
): Promise<void> {
  const { clock, store } = services
  const wakeUp = wakeUpOf(id, source)
  await store.scheduler.at(PURGE_QUEUE, wakeUp, clock.now() + RETRY_MS)
  await removeSource(services, id, source)
  await store.scheduler.cancel(PURGE_QUEUE, wakeUp)
}

async function handleWakeUp(
  services: RetentionServices,
  wakeUpId: string,
  maxKept: number,
): Promise<void> {
  const { oauth, outbox } = services
  const [instanceId = '', originator, ...owner] = wakeUpId.split('/')
  const instance = await oauth.instances.byId(instanceId as InstanceId) // Made below or by the outbox.
  if (instance === undefined) return outbox.removeAll(instanceId as InstanceId)
  if (originator === undefined) return purgeInstance(services, instance.id)
  if (originator === BOUND) return boundKept(services, instance.id, maxKept)
  if (originator === LINKED) {
    const [slug = '', ...id] = owner
    const client = { slug, id: id.join('/') }
    if ((await oauth.clients.get(instance, client.id)) !== undefined) return
    await cancelLinked(services, instance.id, client)
    return
  }
  // Made by `wakeUpOf`.
  const source = { originator, owner: owner.join('/') } as GoneSource
  if (await isThere(services, instance, source)) return
  await removeSource(services, instance.id, source)
}

async function isThere(
  { apps, oauth }: RetentionServices,
  instance: Instance,
  { originator, owner }: GoneSource,
): Promise<boolean> {
  if (originator === 'konnector') return (await apps.konnector?.(instance, owner)) !== undefined
  if ((await oauth.apps.installed(instance, owner)) !== undefined) return true
  return originator === 'oauth' && (await oauth.clients.get(instance, owner)) !== undefined
}

/** Looks soon whether a source is gone: what was heard may also only mean that it changed. */
function lookSoon({ clock, log, store }: RetentionServices, wakeUp: string): void {
  const when = Math.ceil((clock.now() + STEP_MS) / STEP_MS) * STEP_MS
  store.scheduler
    .at(PURGE_QUEUE, wakeUp, when)
    .catch((cause: unknown) => log.warn('notifications.end_not_noted', { cause: String(cause) }))
}

function wakeUpOf(instanceId: InstanceId, { originator, owner }: GoneSource): string {
  return `${instanceId}/${originator}/${owner}`
}
