import { createHash } from 'node:crypto'
import { type ActivityEvent, DAY_MS, HOUR_MS } from '@svc/platform'
import { describeError, recordKey, type Store } from '@svc/store'
import type { Chainer } from '../chain/chainer.ts'
import { networkOfAddress } from '../chain/entry.ts'
import { index, REFUSALS } from '../chain/keys.ts'
import { pendingChange } from '../chain/pending.ts'
import { REFUSALS_MS } from '../lifetimes.ts'
import { REFUSALS_A_DAY } from '../limits.ts'
import type { ActivityLogLines } from '../log/log-events.ts'

/** Queue of the scheduler. */
const QUEUE = 'activity-refusals'

export interface RefusalServices {
  readonly store: Store
  readonly clock: { now(): number }
  readonly log: ActivityLogLines
  readonly chainer: Pick<Chainer, 'notice'>
}

/**
 * Notes a refusal that anybody can cause: of one kind the first per address and hour has an entry, at most sixty a
 * day; the others become one entry a day with their count.
 * @see owner.md 5.5
 */
export async function noteRefusal(
  services: RefusalServices,
  instanceId: string,
  event: ActivityEvent,
): Promise<void> {
  try {
    if (await hasOwnEntry(services, instanceId, event)) {
      const { store, clock, chainer } = services
      await store.write([pendingChange(instanceId, { ...event, outcome: 'refused' }, clock.now())])
      chainer.notice(instanceId)
      return
    }
    await countRest(services, instanceId, event.event)
  } catch (error) {
    services.log.warn('activity.refusal_not_noted', { cause: describeError(error) })
  }
}

async function hasOwnEntry(
  { store, clock }: RefusalServices,
  instanceId: string,
  { event, origin }: ActivityEvent,
): Promise<boolean> {
  const hour = Math.floor(clock.now() / HOUR_MS)
  const address = origin?.ip === undefined ? '' : networkOfAddress(origin.ip)
  const place = createHash('sha256').update(address).digest('base64url')
  const seen = recordKey(instanceId, 'rate', `activity:${event}:${hour}:${place}`)
  if ((await store.hit(seen, HOUR_MS)).count > 1) return false
  const ofDay = recordKey(instanceId, 'rate', `activity:${event}:${dayOf(clock.now())}`)
  return (await store.hit(ofDay, REFUSALS_MS)).count <= REFUSALS_A_DAY
}

async function countRest(
  { store, clock }: RefusalServices,
  instanceId: string,
  event: string,
): Promise<void> {
  const day = dayOf(clock.now())
  const { count } = await store.hit(restKey(instanceId, event, day), REFUSALS_MS)
  // The same wake-up again is the same one: should the first one fail, the next refusal asks again.
  if (count > 2) return
  await store.scheduler.at(QUEUE, `${instanceId}:${event}:${day}`, (day + 1) * DAY_MS)
}

/** Turns what was counted of a day into its entry. @returns what ends it */
export function startRefusals(services: RefusalServices): Promise<() => Promise<void>> {
  return services.store.scheduler.process(QUEUE, ({ id }) => noteRest(services, id))
}

async function noteRest({ store, clock, chainer }: RefusalServices, id: string): Promise<void> {
  const [instanceId = '', event = '', day = '0'] = id.split(':')
  const { count } = await store.hit(restKey(instanceId, event, Number(day)), REFUSALS_MS, 0)
  if (count === 0) return
  const now = clock.now()
  // Made by `countRest`.
  const rest = { event, actor: { kind: 'unknown' }, outcome: 'refused', count } as ActivityEvent
  // A wake-up may come twice.
  const once = {
    op: 'put' as const,
    key: recordKey(instanceId, 'activity-refusals', `${event}:${day}`),
    value: { count },
    expiresAt: now + REFUSALS_MS,
    indexes: [{ index: index(instanceId, REFUSALS), sort: day }],
    ifAbsent: true as const,
  }
  await store.write([once, pendingChange(instanceId, rest, now)])
  chainer.notice(instanceId)
}

function restKey(instanceId: string, event: string, day: number) {
  return recordKey(instanceId, 'rate', `activity:${event}:${day}:rest`)
}

/** In UTC. */
function dayOf(now: number): number {
  return Math.floor(now / DAY_MS)
}
