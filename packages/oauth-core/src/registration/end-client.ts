import { HOUR_MS, type Instance, type InstanceId } from '@svc/platform'
import type { Change } from '@svc/store'
import { dropChallenges } from '../certification/challenges.ts'
import { dropFlagshipCode } from '../certification/flagship-codes.ts'
import { type Client, type ClientId, isPublic } from '../clients/client.ts'
import { isDocumentClientId } from '../clients/client-document.ts'
import { forgetClient } from '../engine/engine.ts'
import { listGrants } from '../engine/grant.ts'
import { UNUSED_CLIENT_MS } from '../lifetimes.ts'
import type { OAuthServices } from '../services.ts'
import { type ActivitySource, BY_SERVER } from './activity-source.ts'

const QUEUE = 'oauth-clients'
/** When a removal that did not end is looked at. */
const RETRY_MS = 60_000
const SWEEP = 10

/** Whether a client goes, and on whose behalf. */
interface RemovalRule {
  /** Asked about the record as it is when it goes. */
  readonly rule?: (client: Client) => boolean
  /** @defaultValue the server itself */
  readonly by?: ActivitySource
}

/**
 * The changes that note a removal. A client that nobody allowed anything is none of the owner's.
 * @param reason - its words, of which a code is made
 */
export function noteRemoval(
  { activity }: Pick<OAuthServices, 'activity'>,
  instance: Instance,
  { id, pending, metadata }: Client,
  reason: string,
  by: ActivitySource,
): readonly Change[] {
  if (pending) return []
  return activity.pending(instance, {
    event: 'client.removed',
    ...by,
    target: { kind: 'client', id, name: metadata.client_name },
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
  { rule, by = BY_SERVER }: RemovalRule = {},
): Promise<boolean> {
  const { clients, engine } = services
  const client = await clients.find(instance, id)
  if (client === undefined || rule?.(client) === false) return false
  return endClient(services, instance, client, reason, async () => {
    // The record goes first: from then on nothing of the client is accepted, and nothing new is issued.
    const note = (gone: Client): readonly Change[] =>
      noteRemoval(services, instance, gone, reason, by)
    if ((await clients.remove(instance, id, rule, note)) === undefined) return false
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
  await store.scheduler.at(QUEUE, wakeUp, clock.now() + RETRY_MS)
  if (!(await remove())) return false
  await dropChallenges(services, instance, client.id)
  await dropFlagshipCode(services, instance, client.id)
  await revocations.publish({ instanceId: instance.id, kind: 'client', id: client.id })
  await store.scheduler.cancel(QUEUE, wakeUp)
  emitter.emit('client.deleted', { instance, client })
  log.info('client.deleted', { domain: instance.domain, clientId: client.id, reason })
  return true
}

/** Looks at a new client when its time is over. @see oauth.md 3.9 */
export async function schedulePendingCheck(
  { store, clock, lifetimes }: OAuthServices,
  { id }: Instance,
  clientId: string,
): Promise<void> {
  const at = clock.now() + lifetimes.pendingClientMs
  await store.scheduler.at(QUEUE, wakeUpOf(id, clientId), at)
}

/** Whether nobody allowed the client in time. */
export function isOverdue(
  { clock, lifetimes }: Pick<OAuthServices, 'clock' | 'lifetimes'>,
  { pending, createdAt }: Client,
): boolean {
  return pending && clock.now() - createdAt >= lifetimes.pendingClientMs
}

/** Removes some overdue clients whose wake-up never came. */
export async function sweepPending(services: OAuthServices, instance: Instance): Promise<void> {
  const page = await services.clients.list(instance, 'pending', { limit: SWEEP })
  for (const client of page.clients) await revokeOverdue(services, instance, client)
}

/**
 * Handles wake-ups about clients, those of before a restart too: clients that stay pending go, and what a removal left
 * behind when the process died goes too. The client's record is the truth; a wake-up only says when to look.
 * @returns what ends it
 * @see oauth.md 3.9
 */
export async function startCleanup(services: OAuthServices): Promise<() => Promise<void>> {
  const { store, emitter, log } = services
  const stop = await store.scheduler.process(QUEUE, ({ id }) => handleWakeUp(services, id))
  const underWay = new Set<Promise<void>>()
  const stopHearing = emitter.on('grant.revoked', ({ instance, clientId, isRotating }) => {
    if (isRotating !== true) return
    const work = scheduleUnusedCheck(services, instance, clientId).catch((cause: unknown) => {
      // The wake-up of the grant's own end is still there.
      log.warn('client.check_lost', { domain: instance.domain, clientId, cause: String(cause) })
    })
    underWay.add(work)
    void work.finally(() => underWay.delete(work))
  })
  return async () => {
    stopHearing()
    await Promise.all(underWay)
    await stop()
  }
}

/**
 * Asks for a look at a client without a secret, a day after the last of its grants is over. To be called when it got one,
 * and when one ended.
 * @see assistants.md 3.8
 */
export async function scheduleUnusedCheck(
  services: Pick<OAuthServices, 'clients' | 'clock' | 'engine' | 'store'>,
  instance: Instance,
  clientId: string,
): Promise<void> {
  const { store, clock, clients, engine } = services
  const grants = await listGrants(engine, instance, clientId)
  const end = Math.max(clock.now(), ...grants.map(({ endsAt = 0 }) => endsAt))
  // SPEC: assistants.md 2.14 - what a document says can be read again.
  const keepUntil = end + (isDocumentClientId(clientId) ? HOUR_MS : UNUSED_CLIENT_MS)
  const client = await clients.change(instance, clientId, () => ({ keepUntil }))
  if (client === undefined) return
  await store.scheduler.at(QUEUE, wakeUpOf(instance.id, clientId), keepUntil)
}

async function endUnused(
  services: OAuthServices,
  instance: Instance,
  client: Client,
): Promise<void> {
  const { clock, engine } = services
  const isUnused = (now: Client): boolean =>
    isPublic(now) && !now.pending && clock.now() >= (now.keepUntil ?? 0)
  if (!isUnused(client)) return
  const grants = await listGrants(engine, instance, client.id)
  // Cut and allowed again in one moment.
  if (grants.length > 0) await scheduleUnusedCheck(services, instance, client.id)
  else await revokeClient(services, instance, client.id, 'unused', { rule: isUnused })
}

async function handleWakeUp(services: OAuthServices, wakeUpId: string): Promise<void> {
  const { instances, clients, engine } = services
  const [instanceId = '', clientId = ''] = wakeUpId.split(':')
  const instance = await instances.byId(instanceId as InstanceId) // Made by `wakeUpOf`.
  if (instance === undefined) return
  const client = await clients.find(instance, clientId)
  // A client's record goes before what belongs to it.
  if (client === undefined) await forgetClient(engine, instance, clientId as ClientId, 'deleted')
  else {
    await revokeOverdue(services, instance, client)
    await endUnused(services, instance, client)
  }
}

async function revokeOverdue(
  services: OAuthServices,
  instance: Instance,
  client: Client,
): Promise<void> {
  if (!isOverdue(services, client)) return
  // Asked again about the record that goes: the owner may be allowing the client right now.
  const rule = (stored: Client): boolean => isOverdue(services, stored)
  await revokeClient(services, instance, client.id, 'pending', { rule })
}

function wakeUpOf(instanceId: InstanceId, clientId: string): string {
  return `${instanceId}:${clientId}`
}
