import type { Instance } from '@svc/platform'
import { type Client, isPublicRegistration } from '../clients/client.ts'
import { CLIENT_QUEUE } from '../clients/pending-checks.ts'
import { PENDING_PUBLIC_CLIENT_MS } from '../lifetimes.ts'
import type { OAuthServices } from '../services.ts'
import { revokeClient } from './end-client.ts'

const SWEEP = 10
const LISTS = ['pending', 'pendingPublic'] as const

/** When the client goes, unless it is allowed before. Milliseconds since the epoch. */
function endOf(
  { lifetimes }: Pick<OAuthServices, 'lifetimes'>,
  client: Pick<Client, 'createdAt' | 'document' | 'metadata'>,
): number {
  const life = isPublicRegistration(client) ? PENDING_PUBLIC_CLIENT_MS : lifetimes.pendingClientMs
  return client.createdAt + life
}

/** Whether nobody allowed the client in time. */
export function isOverdue(
  services: Pick<OAuthServices, 'clock' | 'lifetimes'>,
  client: Client,
): boolean {
  return client.pending && services.clock.now() >= endOf(services, client)
}

/** Removes some overdue clients whose wake-up never came. */
export async function sweepPending(services: OAuthServices, instance: Instance): Promise<void> {
  for (const list of LISTS) {
    const page = await services.clients.list(instance, list, { limit: SWEEP })
    for (const client of page.clients) await revokeOverdue(services, instance, client)
  }
}

/** Removes all overdue clients of an instance, and asks for a wake-up when the next one may be. */
export async function endPending(services: OAuthServices, instance: Instance): Promise<void> {
  const { clients, clock, lifetimes, store } = services
  let next: number | undefined
  for (const list of LISTS) {
    for await (const page of clients.pages(instance, list)) {
      for (const client of page) {
        if (isOverdue(services, client)) await revokeOverdue(services, instance, client)
        else next = Math.min(next ?? Number.POSITIVE_INFINITY, endOf(services, client))
      }
    }
  }
  if (next === undefined) return
  // No later than for a client of now: whoever asked for that wake-up relies on it.
  const when = Math.min(next, clock.now() + lifetimes.pendingClientMs)
  await store.scheduler.at(CLIENT_QUEUE, instance.id, when)
}

/** Whether a public registration waits whose consent page no logged-in owner has seen. */
export function isUnseen({ isSeen, pending }: Client): boolean {
  return pending && isSeen !== true
}

/**
 * Removes the oldest public registrations that no logged-in owner has seen, down to so many that wait. What one reading
 * finds to be too many goes: of parallel readings none removes more.
 * @see decision D91
 */
export async function displaceUnseen(
  services: OAuthServices,
  instance: Instance,
  max: number,
): Promise<void> {
  const { clients } = services
  if ((await clients.count(instance, 'pendingPublic')) <= max) return
  const waiting = await clients.all(instance, 'pendingPublic')
  const surplus = waiting.length - max
  if (surplus <= 0) return
  for (const { id } of waiting.filter(isUnseen).slice(-surplus)) {
    await revokeClient(services, instance, id, 'displaced', { rule: isUnseen })
  }
}

/** Removes the client when nobody allowed it in time. */
export async function revokeOverdue(
  services: OAuthServices,
  instance: Instance,
  client: Client,
): Promise<void> {
  if (!isOverdue(services, client)) return
  // Asked again about the record that goes: the owner may be allowing the client right now.
  const rule = (stored: Client): boolean => isOverdue(services, stored)
  await revokeClient(services, instance, client.id, 'pending', { rule })
}
