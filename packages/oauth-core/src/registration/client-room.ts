import type { Instance } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import type { OAuthServices } from '../services.ts'
import { displaceUnseen, isUnseen, sweepPending } from './pending-clients.ts'

/** Most clients of a pool that their owner has not allowed, and most of all. */
const MAX_PENDING = 100
const MAX_CLIENTS = 1000
const HOUR_S = 3600

type Room = 'none' | 'none for pending ones' | 'some'

/**
 * SPEC: operation.md 8.1; decision D91 - strangers register, so all have a bound, and public registrations a pool of
 * their own. Parallel registrations may pass it by as many as there are; the limit of an hour holds them. Whoever will
 * ask for a wake-up first removes what an earlier one missed.
 */
export async function requireRoom(
  services: OAuthServices,
  instance: Instance,
  isOpen: boolean,
): Promise<void> {
  const isSweepDue = !services.clients.pendingChecks.isAsked(instance)
  if (isSweepDue) await sweepPending(services, instance)
  if ((await findRoom(services, instance, isOpen)) === 'some') return
  if (!isSweepDue) await sweepPending(services, instance)
  const room = await findRoom(services, instance, isOpen)
  if (room === 'none') throw new OAuthError('too_many_clients')
  if (room === 'some') return
  // One of them goes once the new one is stored.
  if (isOpen && (await services.clients.all(instance, 'pendingPublic')).some(isUnseen)) return
  const detail = 'clients that nobody allowed yet'
  throw new OAuthError('too_many_requests', { retryAfterS: HOUR_S, detail })
}

/** To be called when a public registration was stored: the pool keeps its size. */
export async function keepRoom(services: OAuthServices, instance: Instance): Promise<void> {
  await displaceUnseen(services, instance, MAX_PENDING)
}

async function findRoom(
  { clients }: OAuthServices,
  instance: Instance,
  isOpen: boolean,
): Promise<Room> {
  const all = await clients.count(instance, 'all')
  // No more of them wait than there are.
  if (all < MAX_PENDING) return 'some'
  const waiting = await clients.count(instance, isOpen ? 'pendingPublic' : 'pending')
  if (waiting >= MAX_PENDING) return 'none for pending ones'
  return all >= MAX_CLIENTS ? 'none' : 'some'
}
