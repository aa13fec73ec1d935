import type { Store } from '@svc/store'
import type { Engine } from '../engine/engine.ts'
import type { Instance, InstanceId, Instances } from '@svc/platform'
import type { Client, ClientId } from '../clients/client.ts'
import type { ClientStore } from '../clients/client-store.ts'
import type { ClientRevoker } from './revoke-client.ts'

export interface CleanupOptions {
  readonly store: Pick<Store, 'scheduler'>
  readonly clock: { now(): number }
  readonly instances: Pick<Instances, 'byId'>
  readonly clients: Pick<ClientStore, 'find' | 'list'>
  readonly engine: Pick<Engine, 'forgetClient'>
  /** How long a client may stay pending. Milliseconds. */
  readonly pendingMs: number
}

/**
 * Wake-ups about clients: those that stay pending go, and what a removal left behind when the process died goes too.
 * The client's record is the truth; a wake-up only says when to look. @see oauth.md 3.9
 */
export interface ClientCleanup {
  /** Looks at a new client when its time is over. */
  registered(instance: Instance, id: string): Promise<void>
  /** Looks again soon, should the removal that begins now not end. */
  ending(instance: Instance, id: string): Promise<void>
  /** Nothing is left to look at. */
  ended(instance: Instance, id: string): Promise<void>
  /** Removes some overdue clients whose wake-up never came. */
  sweep(instance: Instance, revoker: ClientRevoker): Promise<void>
  /** Handles wake-ups, those of before a restart too. Idempotent. */
  start(revoker: ClientRevoker): Promise<void>
  stop(): Promise<void>
}

const QUEUE = 'oauth-clients'
/** When a removal that did not end is looked at. */
const RETRY_MS = 60_000
const SWEEP = 10

export function createClientCleanup(options: CleanupOptions): ClientCleanup {
  const { store, clock, instances, clients, engine, pendingMs } = options
  const { scheduler } = store
  let stopProcessing: (() => Promise<void>) | undefined

  function isOverdue(client: Client): boolean {
    return client.pending && clock.now() - client.createdAt >= pendingMs
  }

  async function look(wakeUpId: string, revoker: ClientRevoker): Promise<void> {
    const [instanceId = '', clientId = ''] = wakeUpId.split(':')
    const instance = await instances.byId(instanceId as InstanceId) // Made by `wakeUpOf`.
    if (instance === undefined) return
    const client = await clients.find(instance, clientId)
    // A client's record goes before what belongs to it.
    if (client === undefined) await engine.forgetClient(instance, clientId as ClientId, 'deleted')
    else await revokeOverdue(instance, client, revoker)
  }

  async function revokeOverdue(instance: Instance, client: Client, revoker: ClientRevoker) {
    if (!isOverdue(client)) return
    // Asked again about the record that goes: the owner may be allowing the client right now.
    await revoker.revoke(instance, client.id, 'pending', isOverdue)
  }

  return {
    registered: ({ id }, clientId) =>
      scheduler.at(QUEUE, wakeUpOf(id, clientId), clock.now() + pendingMs),
    ending: ({ id }, clientId) =>
      scheduler.at(QUEUE, wakeUpOf(id, clientId), clock.now() + RETRY_MS),
    ended: ({ id }, clientId) => scheduler.cancel(QUEUE, wakeUpOf(id, clientId)),

    async sweep(instance, revoker) {
      const page = await clients.list(instance, 'pending', { limit: SWEEP })
      for (const client of page.clients) await revokeOverdue(instance, client, revoker)
    },

    async start(revoker) {
      stopProcessing ??= await scheduler.process(QUEUE, ({ id }) => look(id, revoker))
    },

    async stop() {
      await stopProcessing?.()
      stopProcessing = undefined
    },
  }
}

function wakeUpOf(instanceId: InstanceId, clientId: string): string {
  return `${instanceId}:${clientId}`
}
