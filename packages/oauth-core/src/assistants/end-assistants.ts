import type { Instance, Instances } from '@svc/platform'
import type { Change } from '@svc/store'
import { type Client, clientTarget } from '../clients/client.ts'
import { type Grant, listGrants, revokeGrant } from '../engine/grant.ts'
import { type ActivitySource, BY_SERVER } from '../registration/activity-source.ts'
import { withStamps } from '../registration/client-stamps.ts'
import type { OAuthServices } from '../services.ts'
import { writeMayConnect } from './preferences.ts'

/** A grant of a resource. */
export type ResourceGrant = Grant & { readonly resource: string }

/** A client with at least one live grant of a resource. */
export interface Assistant {
  readonly client: Client
  /** Newest first. */
  readonly grants: readonly ResourceGrant[]
}

/** The live grants of a client that are of a resource, newest first. */
export async function resourceGrants(
  { engine }: Pick<OAuthServices, 'engine'>,
  instance: Instance,
  clientId: string,
): Promise<readonly ResourceGrant[]> {
  const grants = await listGrants(engine, instance, clientId)
  return grants.filter((grant): grant is ResourceGrant => grant.resource !== undefined)
}

/** Every client with a live grant of a resource, the one that came last first. */
export async function listAssistants(
  services: Pick<OAuthServices, 'clients' | 'engine'>,
  instance: Instance,
): Promise<readonly Assistant[]> {
  const found: Assistant[] = []
  for await (const page of services.clients.pages(instance, 'all')) {
    for (const client of await withStamps(services, instance, page)) {
      if (client.pending) continue
      const grants = await resourceGrants(services, instance, client.id)
      if (grants.length > 0) found.push({ client, grants })
    }
  }
  return found.toReversed()
}

/**
 * Ends everything that an assistant was given; what it gets from then on are refusals, in every process within a second.
 * @returns false when it is none, or is none any more
 */
export async function endAssistant(
  services: OAuthServices,
  instance: Instance,
  clientId: string,
  reason: string,
  by: ActivitySource,
): Promise<boolean> {
  const { clients, engine, activity, emitter } = services
  const client = await clients.find(instance, clientId)
  if (client === undefined) return false
  if ((await resourceGrants(services, instance, client.id)).length === 0) return false
  const target = clientTarget(client)
  let isNoted = false
  for (const { id } of await listGrants(engine, instance, client.id)) {
    // It was ended once, of however many grants.
    const note: readonly Change[] = isNoted
      ? []
      : activity.pending(instance, { ...by, event: 'assistant.ended', target, reason })
    if (await revokeGrant(engine, instance, id, reason, note)) isNoted = true
  }
  if (isNoted) emitter.emit('client.updated', { instance, client })
  return isNoted
}

/** @returns how many */
export async function endAssistants(
  services: OAuthServices,
  instance: Instance,
  reason: string,
  by: ActivitySource,
): Promise<number> {
  let count = 0
  for (const { client } of await listAssistants(services, instance)) {
    if (await endAssistant(services, instance, client.id, reason, by)) count += 1
  }
  return count
}

/** Lets assistants connect, or none: then those that are connected end before it resolves. @see assistants.md 5.6 */
export async function allowAssistants(
  services: OAuthServices,
  instance: Instance,
  isAllowed: boolean,
  by: ActivitySource,
): Promise<void> {
  // First: a grant that is made right now is either found below, or is not made.
  await writeMayConnect(services, instance, isAllowed)
  if (!isAllowed) await endAssistants(services, instance, 'owner', by)
}

/** Ends them in every instance: for a server that no longer takes any. @returns how many */
export async function endAssistantsEverywhere(
  services: OAuthServices & { readonly instances: Pick<Instances, 'list'> },
  reason: string,
): Promise<number> {
  let count = 0
  let cursor: string | undefined
  do {
    const page = await services.instances.list(cursor === undefined ? {} : { cursor })
    for (const instance of page.instances) {
      count += await endAssistants(services, instance, reason, BY_SERVER)
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return count
}
