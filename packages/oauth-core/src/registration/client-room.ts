import type { Instance } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import type { OAuthServices } from '../services.ts'
import { sweepPending } from './pending-clients.ts'

/** Most clients that their owner has not allowed, and most of all. */
const MAX_PENDING = 100
const MAX_CLIENTS = 1000
const HOUR_S = 3600

type Room = 'none' | 'none for pending ones' | 'some'

/**
 * SPEC: operation.md 8.1 - strangers register, so both have a bound. Parallel registrations may pass it by as many as
 * there are; the limit of an hour holds them. Whoever will ask for a wake-up first removes what an earlier one missed.
 */
export async function requireRoom(services: OAuthServices, instance: Instance): Promise<void> {
  const isSweepDue = !services.clients.pendingChecks.isAsked(instance)
  if (isSweepDue) await sweepPending(services, instance)
  if ((await findRoom(services, instance)) === 'some') return
  if (!isSweepDue) await sweepPending(services, instance)
  const room = await findRoom(services, instance)
  if (room === 'none') throw new OAuthError('too_many_clients')
  if (room === 'some') return
  const detail = 'clients that nobody allowed yet'
  throw new OAuthError('too_many_requests', { retryAfterS: HOUR_S, detail })
}

async function findRoom({ clients }: OAuthServices, instance: Instance): Promise<Room> {
  const all = await clients.count(instance, 'all')
  // No more of them wait than there are.
  if (all < MAX_PENDING) return 'some'
  if ((await clients.count(instance, 'pending')) >= MAX_PENDING) return 'none for pending ones'
  return all >= MAX_CLIENTS ? 'none' : 'some'
}
