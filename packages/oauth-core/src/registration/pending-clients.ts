import type { Instance } from '@svc/platform'
import type { Client } from '../clients/client.ts'
import { CLIENT_QUEUE } from '../clients/pending-checks.ts'
import type { OAuthServices } from '../services.ts'
import { revokeClient } from './end-client.ts'

const SWEEP = 10
const PAGE = 100

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

/** Removes all overdue clients of an instance, and asks for a wake-up when the next one may be. */
export async function endPending(services: OAuthServices, instance: Instance): Promise<void> {
  const { clients, lifetimes, store } = services
  let after: { readonly cursor?: string } = {}
  do {
    const page = await clients.list(instance, 'pending', { limit: PAGE, ...after })
    for (const client of page.clients) {
      if (!isOverdue(services, client)) {
        const when = client.createdAt + lifetimes.pendingClientMs
        return store.scheduler.at(CLIENT_QUEUE, instance.id, when)
      }
      await revokeOverdue(services, instance, client)
    }
    after = page.cursor === undefined ? {} : { cursor: page.cursor }
  } while (after.cursor !== undefined)
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
