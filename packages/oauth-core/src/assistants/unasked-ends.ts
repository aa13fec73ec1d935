import { describeError } from '@svc/store'
import type { OAuthEvents } from '../ports.ts'
import { BY_SERVER } from '../registration/activity-source.ts'
import type { OAuthServices } from '../services.ts'
import { clientTarget } from '../clients/client.ts'

/** What ends an assistant's access without anybody's asking for it. @see assistants.md 2.9, 3.6 */
const UNASKED: ReadonlySet<string> = new Set([
  'client_gone',
  'refresh_reuse',
  'weaker_authentication',
])

/** Writes down for the operator that grants of resources end, and tells the owner of those that the server ended. */
export function noteEnds(services: OAuthServices): void {
  const { emitter, log } = services
  emitter.on('grant.revoked', (ended) => {
    const { instance, clientId, reason, resource } = ended
    if (resource === undefined) return
    const { domain } = instance
    log.info('assistant.ended', { domain, clientId, reason })
    if (!UNASKED.has(reason)) return
    noteForOwner(services, ended).catch((error: unknown) =>
      log.warn('assistant.end_not_noted', { domain, clientId, cause: describeError(error) }),
    )
  })
}

async function noteForOwner(
  { activity, clients, emitter, store }: OAuthServices,
  { instance, clientId, reason }: OAuthEvents['grant.revoked'],
): Promise<void> {
  const client = await clients.find(instance, clientId)
  if (client === undefined) return
  const target = clientTarget(client)
  const noted = activity.pending(instance, {
    ...BY_SERVER,
    event: 'assistant.ended',
    target,
    reason,
  })
  if (noted.length > 0) await store.write(noted)
  emitter.emit('client.updated', { instance, client })
}
