import { HOUR_MS, type Instance, type InstanceId } from '@svc/platform'
import type { Change } from '@svc/store'
import { dropChallenges } from '../certification/challenges.ts'
import { dropFlagshipCode } from '../certification/flagship-codes.ts'
import { type Client, clientTarget, isPublic, isPublicRegistration } from '../clients/client.ts'
import { keepSnapshot, trimSnapshots } from '../clients/kept-snapshots.ts'
import { CLIENT_QUEUE } from '../clients/pending-checks.ts'
import { forgetClient } from '../engine/engine.ts'
import { listGrants } from '../engine/grant.ts'
import { UNUSED_CLIENT_MS } from '../lifetimes.ts'
import type { OAuthServices } from '../services.ts'
import { type ActivitySource, BY_SERVER } from './activity-source.ts'

/** When a removal that did not end is looked at. */
const RETRY_MS = 60_000
/** Most public registrations of an instance that were allowed and have no access. @see decision D91 */
const MAX_IDLE = 200

/** Whether a client goes, and on whose behalf. */
interface RemovalRule {
  /** Asked about the record as it is when it goes. */
  readonly rule?: (client: Client) => boolean
  /** @defaultValue the server itself */
  readonly by?: ActivitySource
  /** What has to be written together with it. */
  readonly also?: (client: Client) => readonly Change[]
}

/**
 * The changes that note a removal. A client that nobody allowed anything is none of the owner's.
 * @param reason - its words, of which a code is made
 */
export function noteRemoval(
  { activity }: Pick<OAuthServices, 'activity'>,
  instance: Instance,
  client: Client,
  reason: string,
  by: ActivitySource,
): readonly Change[] {
  if (client.pending) return []
  return activity.pending(instance, {
    event: 'client.removed',
    ...by,
    target: clientTarget(client),
    reason: reason.replaceAll(' ', '_'),
  })
}

/**
 * Removes the client and everything it holds, before it resolves; what the owner's settings, the clean-up and the host
 * share.
 * @returns false when there was none, or the rule said no
 * @see oauth.md 11.1
 */
export async function revokeClient(
  services: OAuthServices,
  instance: Instance,
  id: string,
  reason: string,
  { rule, by = BY_SERVER, also = () => [] }: RemovalRule = {},
): Promise<boolean> {
  const { clients, engine } = services
  const client = await clients.find(instance, id)
  if (client === undefined || rule?.(client) === false) return false
  return endClient(services, instance, client, reason, async () => {
    // The record goes first: from then on nothing of the client is accepted, and nothing new is issued.
    const changes = (gone: Client): readonly Change[] => [
      ...noteRemoval(services, instance, gone, reason, by),
      ...also(gone),
    ]
    if ((await clients.remove(instance, id, rule, changes)) === undefined) return false
    await forgetClient(engine, instance, client.id, reason)
    return true
  })
}

/**
 * What comes before and after a removal.
 * @param remove - removes the record and what belongs to it; false when there was nothing to remove
 */
export async function endClient(
  services: OAuthServices,
  instance: Instance,
  client: Client,
  reason: string,
  remove: () => Promise<boolean>,
): Promise<boolean> {
  const { store, clock, revocations, emitter, log } = services
  const wakeUp = wakeUpOf(instance.id, client.id)
  // Should the process die in between, a wake-up finds what is left.
  await store.scheduler.at(CLIENT_QUEUE, wakeUp, clock.now() + RETRY_MS)
  if (!(await remove())) return false
  await dropChallenges(services, instance, client.id)
  await dropFlagshipCode(services, instance, client.id)
  await revocations.publish({ instanceId: instance.id, kind: 'client', id: client.id })
  await store.scheduler.cancel(CLIENT_QUEUE, wakeUp)
  emitter.emit('client.deleted', { instance, client })
  log.info('client.deleted', { domain: instance.domain, clientId: client.id, reason })
  return true
}

/** Asks for a look at a public registration that got a code, when that is over: it may never be exchanged. */
export async function scheduleAllowedCheck(
  services: Pick<OAuthServices, 'clock' | 'lifetimes' | 'store'>,
  instance: Instance,
  clientId: string,
): Promise<void> {
  const { clock, lifetimes } = services
  const codeEnd = clock.now() + lifetimes.authorizationCodeMs
  await scheduleCheck(services, instance, clientId, codeEnd)
}

async function scheduleCheck(
  { store }: Pick<OAuthServices, 'store'>,
  instance: Instance,
  clientId: string,
  when: number,
): Promise<void> {
  await store.scheduler.at(CLIENT_QUEUE, wakeUpOf(instance.id, clientId), when)
}

/**
 * Asks for a look at a client that a document describes, an hour after the last of its grants is over. To be called when
 * it got one, and when one ended.
 * @see assistants.md 2.14
 */
export async function scheduleDescribedCheck(
  services: Pick<OAuthServices, 'clients' | 'clock' | 'engine' | 'store'>,
  instance: Instance,
  clientId: string,
): Promise<void> {
  const { clock, clients, engine } = services
  const grants = await listGrants(engine, instance, clientId)
  const end = Math.max(clock.now(), ...grants.map(({ endsAt = 0 }) => endsAt))
  // What a document says can be read again.
  const keepUntil = end + HOUR_MS
  const client = await clients.change(instance, clientId, () => ({ keepUntil }))
  if (client === undefined) return
  await scheduleCheck(services, instance, clientId, keepUntil)
}

/** Removes a client without a secret whose access is over for long enough, and asks for the next look at any other. */
export async function endUnused(
  services: OAuthServices,
  instance: Instance,
  client: Client,
): Promise<void> {
  if (!isPublic(client) || client.pending) return
  if (isPublicRegistration(client)) return endIdle(services, instance, client)
  const { clock, engine } = services
  const isUnused = (now: Client): boolean => !now.pending && clock.now() >= (now.keepUntil ?? 0)
  if (!isUnused(client)) return
  const grants = await listGrants(engine, instance, client.id)
  // Cut and allowed again in one moment.
  if (grants.length > 0) await scheduleDescribedCheck(services, instance, client.id)
  else {
    const also = (gone: Client): readonly Change[] => keepSnapshot(services, instance, gone)
    await revokeClient(services, instance, client.id, 'unused', { rule: isUnused, also })
    await trimSnapshots(services, instance)
  }
}

/**
 * The same of a public registration: 400 days after its last code or token, or when too many others were used since. A
 * consent changes `keepUntil` before there is a grant of it, so that none with access ever goes.
 * @see decision D91
 */
async function endIdle(
  services: OAuthServices,
  instance: Instance,
  { id, keepUntil: known = 0 }: Client,
): Promise<void> {
  const { clients, clock, engine } = services
  const now = clock.now()
  const grants = await listGrants(engine, instance, id)
  if (grants.length > 0) {
    const end = Math.max(...grants.map(({ endsAt = Number.POSITIVE_INFINITY }) => endsAt))
    return scheduleCheck(services, instance, id, Math.min(end, now + UNUSED_CLIENT_MS))
  }
  const { at: lastTokenAt = 0 } = (await engine.lastRefreshed.read(instance, [id])).get(id) ?? {}
  const keepUntil = Math.max(known, lastTokenAt + UNUSED_CLIENT_MS)
  const isUnchanged = (stored: Client): boolean => (stored.keepUntil ?? 0) === known
  if (now >= keepUntil) {
    await revokeClient(services, instance, id, 'unused', { rule: isUnchanged })
    return
  }
  await scheduleCheck(services, instance, id, keepUntil)
  const client = await clients.change(instance, id, (stored) =>
    isUnchanged(stored) && stored.isIdle !== true ? { isIdle: true, keepUntil } : undefined,
  )
  // Allowed meanwhile, and the look that was asked for then is the later one now.
  if (client !== undefined && client.isIdle !== true)
    await scheduleAllowedCheck(services, instance, id)
  await trimIdle(services, instance)
}

/** What one reading finds to be too many goes: of parallel readings none removes more. */
async function trimIdle(services: OAuthServices, instance: Instance): Promise<void> {
  const { clients } = services
  if ((await clients.count(instance, 'idle')) <= MAX_IDLE) return
  const surplus = (await clients.all(instance, 'idle')).slice(MAX_IDLE)
  for (const { id } of surplus) {
    const rule = ({ isIdle }: Client): boolean => isIdle === true
    await revokeClient(services, instance, id, 'unused', { rule })
  }
}

function wakeUpOf(instanceId: InstanceId, clientId: string): string {
  return `${instanceId}:${clientId}`
}
