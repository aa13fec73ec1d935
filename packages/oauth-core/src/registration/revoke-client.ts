import type { OAuthEvents } from '../ports.ts'
import type { Emitter, Instance, Logger, Revocations } from '@svc/platform'
import type { Engine } from '../engine/engine.ts'
import type { ClientCleanup } from './cleanup.ts'
import type { Client } from '../clients/client.ts'
import type { ClientStore } from '../clients/client-store.ts'

export interface ClientRevokerOptions {
  readonly clients: Pick<ClientStore, 'find' | 'remove'>
  readonly cleanup: Pick<ClientCleanup, 'ended' | 'ending'>
  readonly engine: Pick<Engine, 'forgetClient'>
  /** Drops what could still certify a client that is gone. */
  readonly forgetCertification: (instance: Instance, clientId: Client['id']) => Promise<void>
  readonly revocations: Pick<Revocations, 'publish'>
  readonly emitter: Emitter<OAuthEvents>
  readonly log: Logger
}

/** Ends clients; what the endpoint, the owner's settings, the clean-up and the host share. @see oauth.md 11.1 */
export interface ClientRevoker {
  /**
   * Removes the client and everything it holds, before it resolves.
   * @param rule - asked about the record as it is when it goes
   * @returns false when there was none, or the rule said no
   */
  revoke(
    instance: Instance,
    id: string,
    reason: string,
    rule?: (client: Client) => boolean,
  ): Promise<boolean>
  /**
   * What comes before and after a removal.
   * @param remove - removes the record and what belongs to it; false when there was nothing to remove
   */
  ending(
    instance: Instance,
    client: Client,
    reason: string,
    remove: () => Promise<boolean>,
  ): Promise<boolean>
}

export function createClientRevoker(options: ClientRevokerOptions): ClientRevoker {
  const { clients, cleanup, engine, revocations, emitter, log } = options

  async function ending(
    instance: Instance,
    client: Client,
    reason: string,
    remove: () => Promise<boolean>,
  ): Promise<boolean> {
    // Should the process die in between, a wake-up finds what is left.
    await cleanup.ending(instance, client.id)
    if (!(await remove())) return false
    await options.forgetCertification(instance, client.id)
    await revocations.publish({ instanceId: instance.id, kind: 'client', id: client.id })
    await cleanup.ended(instance, client.id)
    emitter.emit('client.deleted', { instance, client })
    log.info('client.deleted', { domain: instance.domain, clientId: client.id, reason })
    return true
  }

  return {
    ending,
    async revoke(instance, id, reason, rule) {
      const client = await clients.find(instance, id)
      if (client === undefined || rule?.(client) === false) return false
      return ending(instance, client, reason, async () => {
        // The record goes first: from then on nothing of the client is accepted, and nothing new is issued.
        if ((await clients.remove(instance, id, rule)) === undefined) return false
        await engine.forgetClient(instance, client.id, reason)
        return true
      })
    },
  }
}
