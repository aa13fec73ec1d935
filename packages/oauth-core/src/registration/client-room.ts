import type { Instance } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import type { OAuthServices } from '../services.ts'
import { isOverdue, sweepPending } from './end-client.ts'

/** Most clients that their owner has not allowed, and most of all. */
const MAX_PENDING = 100
const MAX_CLIENTS = 1000
const HOUR_S = 3600

type Room = 'none' | 'none for pending ones' | 'some'

/**
 * SPEC: operation.md 8.1 - strangers register, so both have a bound. Parallel registrations may pass it by as many as
 * there are; the limit of an hour holds them. One look tells both numbers, and whether a clean-up is overdue.
 */
export async function requireRoom(services: OAuthServices, instance: Instance): Promise<void> {
  const found = await look(services, instance)
  if (found.room === 'some' && !found.isSweepDue) return
  await sweepPending(services, instance)
  const { room } = await look(services, instance)
  if (room === 'none') throw new OAuthError('too_many_clients')
  if (room === 'some') return
  const detail = 'clients that nobody allowed yet'
  throw new OAuthError('too_many_requests', { retryAfterS: HOUR_S, detail })
}

async function look(
  services: OAuthServices,
  instance: Instance,
): Promise<{ readonly room: Room; readonly isSweepDue: boolean }> {
  let all = 0
  let pending = 0
  let isSweepDue = false
  for await (const page of services.clients.pages(instance, 'all')) {
    const waiting = page.filter((client) => client.pending)
    all += page.length
    pending += waiting.length
    isSweepDue ||= waiting.some((client) => isOverdue(services, client))
    if (pending >= MAX_PENDING) return { room: 'none for pending ones', isSweepDue }
    if (all >= MAX_CLIENTS) return { room: 'none', isSweepDue }
  }
  return { room: 'some', isSweepDue }
}
