import type { Instance, InstanceId } from '@svc/platform'
import type { ClientId } from '../clients/client.ts'
import { isDocumentClientId } from '../clients/client-document.ts'
import { CLIENT_QUEUE } from '../clients/pending-checks.ts'
import { forgetClient } from '../engine/engine.ts'
import type { OAuthServices } from '../services.ts'
import { endUnused, scheduleDescribedCheck } from './end-client.ts'
import { endPending, revokeOverdue } from './pending-clients.ts'

/**
 * Handles wake-ups about clients, those of before a restart too: clients that stay pending go, and what a removal left
 * behind when the process died goes too. The client's record is the truth; a wake-up only says when to look.
 * @returns what ends it
 * @see oauth.md 3.9
 */
export async function startCleanup(services: OAuthServices): Promise<() => Promise<void>> {
  const { store, clients, emitter, log } = services
  const stop = await store.scheduler.process(CLIENT_QUEUE, ({ id }) => handleWakeUp(services, id))
  const underWay = new Set<Promise<void>>()
  const noteEnd = async (instance: Instance, clientId: string): Promise<void> => {
    if (isDocumentClientId(clientId)) return scheduleDescribedCheck(services, instance, clientId)
    const client = await clients.find(instance, clientId)
    if (client !== undefined) await endUnused(services, instance, client)
  }
  const stopHearing = emitter.on('grant.revoked', ({ instance, clientId, isRotating }) => {
    if (isRotating !== true) return
    const work = noteEnd(instance, clientId).catch((cause: unknown) => {
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

async function handleWakeUp(services: OAuthServices, wakeUpId: string): Promise<void> {
  const { instances, clients, engine } = services
  const [instanceId = '', clientId] = wakeUpId.split(':')
  const instance = await instances.byId(instanceId as InstanceId) // As wake-ups are asked for.
  if (instance === undefined) return
  if (clientId === undefined) return endPending(services, instance)
  const client = await clients.find(instance, clientId)
  // A client's record goes before what belongs to it.
  if (client === undefined) await forgetClient(engine, instance, clientId as ClientId, 'deleted')
  else {
    await revokeOverdue(services, instance, client)
    await endUnused(services, instance, client)
  }
}
