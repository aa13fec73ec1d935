import { linkedSlug, type OAuth } from '@svc/oauth-core'
import { type Instance, type InstanceId, type Logger } from '@svc/platform'
import type { Lifetimes } from '../lifetimes.ts'
import type { Originator } from '../outbox/notification.ts'
import type { SourceOwner } from '../outbox/notification-record.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { PURGE_QUEUE } from '../outbox/wake-ups.ts'
import type { NotifyApps } from '../ports.ts'
import { cancelLinked, removeSource } from './gone-sources.ts'
import { createPurge } from './purge.ts'

/** Who may be gone. */
export interface GoneSource extends SourceOwner {
  readonly originator: Extract<Originator, 'app' | 'konnector' | 'oauth'>
}

/** Lets go of what is over, of sources that are gone, and of instances that are removed. @see notifications.md 14 */
export interface Retention {
  /** Cancels and removes what a source posted; goes on after a restart when it is cut short. */
  sourceGone(instance: Pick<Instance, 'id'>, source: GoneSource): Promise<void>
  /** Idempotent. */
  start(): Promise<void>
  close(): Promise<void>
}

export interface RetentionOptions {
  readonly oauth: Pick<
    OAuth,
    'apps' | 'clients' | 'clock' | 'instances' | 'on' | 'onRevoked' | 'store'
  >
  readonly outbox: Outbox
  readonly apps: Pick<NotifyApps, 'konnector'>
  readonly lifetimes: Lifetimes
  readonly log: Logger
}

/** When a removal that was cut short goes on. Milliseconds. */
const RETRY_MS = 60_000
/** Processes that hear of the same end meet on whole seconds: the scheduler keeps one wake-up of theirs. */
const STEP_MS = 1000
/** In place of an originator in wake-ups: a client of the app that the rest names. */
const LINKED = 'linked'

export function createRetention(options: RetentionOptions): Retention {
  const { oauth, outbox, apps, lifetimes, log } = options
  const { clock, store } = oauth
  const { scheduler } = store
  const purge = createPurge({ outbox, clock, lifetimes, log })
  let processing: Promise<() => Promise<void>> | undefined

  async function isAlive(instance: Instance, { originator, owner }: GoneSource): Promise<boolean> {
    if (originator === 'konnector') return (await apps.konnector?.(instance, owner)) !== undefined
    if ((await oauth.apps.installed(instance, owner)) !== undefined) return true
    return originator === 'oauth' && (await oauth.clients.get(instance, owner)) !== undefined
  }

  async function handle(wakeUpId: string): Promise<void> {
    const [instanceId = '', originator, ...owner] = wakeUpId.split('/')
    const instance = await oauth.instances.byId(instanceId as InstanceId) // Made below or by the outbox.
    if (instance === undefined) return outbox.removeAll(instanceId as InstanceId)
    if (originator === undefined) return purge(instance.id)
    if (originator === LINKED) {
      const [slug = '', ...id] = owner
      const client = { slug, id: id.join('/') }
      if ((await oauth.clients.get(instance, client.id)) !== undefined) return
      await cancelLinked({ outbox, clock }, instance.id, client)
      return
    }
    // Made by `wakeUpOf`.
    const source = { originator, owner: owner.join('/') } as GoneSource
    if (await isAlive(instance, source)) return
    await removeSource({ outbox, clock }, instance.id, source)
  }

  /** Looks soon whether a source is gone: what is told may also only mean that it changed. */
  function suspect(wakeUp: string): void {
    const when = Math.ceil((clock.now() + STEP_MS) / STEP_MS) * STEP_MS
    scheduler
      .at(PURGE_QUEUE, wakeUp, when)
      .catch((cause: unknown) => log.warn('notifications.end_not_noted', { cause: String(cause) }))
  }

  const endListening = [
    oauth.onRevoked({
      onRevoked({ kind, instanceId, id: owner }) {
        if (kind !== 'app') return
        for (const originator of ['app', 'konnector', 'oauth'] as const) {
          suspect(wakeUpOf(instanceId, { originator, owner }))
        }
      },
      // What is missed is seen when a notification of it is due, and goes with its time.
      onGap() {},
    }),
    oauth.on('client.deleted', ({ instance, client: { id, metadata } }) => {
      const slug = linkedSlug(metadata.software_id)
      suspect(
        slug === undefined
          ? wakeUpOf(instance.id, { originator: 'oauth', owner: id })
          : `${instance.id}/${LINKED}/${slug}/${id}`,
      )
    }),
  ]

  return {
    async sourceGone({ id }, source) {
      const wakeUp = wakeUpOf(id, source)
      await scheduler.at(PURGE_QUEUE, wakeUp, clock.now() + RETRY_MS)
      await removeSource({ outbox, clock }, id, source)
      await scheduler.cancel(PURGE_QUEUE, wakeUp)
    },
    async start() {
      processing ??= scheduler.process(PURGE_QUEUE, ({ id }) => handle(id))
      await processing
    },
    async close() {
      for (const end of endListening) end()
      const stop = await processing?.catch(() => undefined)
      await stop?.()
    },
  }
}

function wakeUpOf(instanceId: InstanceId, { originator, owner }: GoneSource): string {
  return `${instanceId}/${originator}/${owner}`
}
