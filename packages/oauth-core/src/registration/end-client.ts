import { HOUR_MS, type Instance, type InstanceId } from '@svc/platform'
import type { Change } from '@svc/store'
import { dropChallenges } from '../certification/challenges.ts'
import { dropFlagshipCode } from '../certification/flagship-codes.ts'
import { type Client, clientTarget, isPublic } from '../clients/client.ts'
import { isDocumentClientId } from '../clients/client-document.ts'
import { CLIENT_QUEUE } from '../clients/pending-checks.ts'
import { forgetClient } from '../engine/engine.ts'
import { listGrants } from '../engine/grant.ts'
import { UNUSED_CLIENT_MS } from '../lifetimes.ts'
import type { OAuthServices } from '../services.ts'
import { type ActivitySource, BY_SERVER } from './activity-source.ts'

/** When a removal that did not end is looked at. */
const RETRY_MS = 60_000

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
  await store.scheduler.at(CLIENT_QUEUE, wakeUpOf(instance.id, clientId), keepUntil)
}

/** Removes a client without a secret whose access is over for long enough. */
export async function endUnused(
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

function wakeUpOf(instanceId: InstanceId, clientId: string): string {
  return `${instanceId}:${clientId}`
}
