import { DAY_MS, type Instance, type InstanceId } from '@svc/platform'
import type { Client } from '../clients/client.ts'
import { changeGrant } from '../engine/change-grant.ts'
import { type Grant, listGrants } from '../engine/grant.ts'
import { isSubset } from '../scopes/evaluate.ts'
import { parseScope } from '../scopes/scope.ts'
import type { TellAccessEnding } from '../ports.ts'
import type { OAuthServices } from '../services.ts'

const QUEUE = 'oauth-access-ends'
/** How long before an end its owner is told. @see owner.md 3.4 */
export const NOTICE_MS: number = 3 * DAY_MS

/**
 * Has the end of a grant looked at in time; to be called before the grant is written. An end that comes sooner than
 * the notice would is told by the page that it was chosen on.
 * @param endsAt - milliseconds since the epoch
 */
export async function scheduleEnding(
  { store, clock }: Pick<OAuthServices, 'clock' | 'store'>,
  { id }: Instance,
  clientId: string,
  endsAt: number,
): Promise<void> {
  const at = endsAt - NOTICE_MS
  if (at > clock.now()) await store.scheduler.at(QUEUE, `${id}:${clientId}`, at)
}

/**
 * Tells owners of ends, those that came due before a restart too. The grants are the truth; a wake-up only says when to
 * look. What a later grant of the client gives as well does not end, and is not told.
 * @returns what ends it
 * @see docs/decisions/0471
 */
export function startEndings(services: OAuthServices): Promise<() => Promise<void>> {
  return services.store.scheduler.process(QUEUE, async ({ id }) => {
    const tell = services.given.tellAccessEnding
    if (tell === undefined) return
    const [instanceId = '', clientId = ''] = id.split(':')
    const instance = await services.instances.byId(instanceId as InstanceId) // Made by `scheduleEnding`.
    const client = instance && (await services.clients.find(instance, clientId))
    if (instance !== undefined && client !== undefined) {
      await tellDue(services, instance, client, tell)
    }
  })
}

async function tellDue(
  services: OAuthServices,
  instance: Instance,
  client: Client,
  tell: TellAccessEnding,
): Promise<void> {
  const grants = await listGrants(services.engine, instance, client.id)
  const due = dueEnds(grants, services.clock.now())
  const [first] = due.toSorted((a, b) => a.endsAt - b.endsAt)
  if (first === undefined) return
  await tell({ instance, client, endsAt: first.endsAt })
  let isFirstToSay = false
  for (const { id, endsAt } of due) {
    const noted = await changeGrant(services, instance, id, (grant) =>
      grant.endsAt === endsAt && grant.toldEnd !== endsAt ? { ...grant, toldEnd: endsAt } : grant,
    )
    isFirstToSay ||= noted?.isChanged === true
  }
  if (!isFirstToSay) return
  services.log.info('client.access_ending', {
    domain: instance.domain,
    clientId: client.id,
    endsAt: first.endsAt,
  })
}

type Ending = Grant & { readonly endsAt: number }

function dueEnds(grants: readonly Grant[], now: number): readonly Ending[] {
  const isDue = (grant: Grant): grant is Ending => {
    const { endsAt, resource, toldEnd } = grant
    // SPEC: owner.md 3.4 - an assistant has to ask again: there is nothing that its owner could make last longer.
    if (resource !== undefined) return false
    return endsAt !== undefined && endsAt > now && endsAt - NOTICE_MS <= now && toldEnd !== endsAt
  }
  return grants.filter(isDue).filter((grant) => !goesOn(grant, grants))
}

/** Whether other grants for the same, which end later, give everything that this one does. */
function goesOn(ending: Ending, grants: readonly Grant[]): boolean {
  const later = grants.filter(
    ({ endsAt = Number.POSITIVE_INFINITY, resource }) =>
      endsAt > ending.endsAt && resource === undefined,
  )
  if (later.some(({ scope }) => scope === ending.scope || scope === '*')) return true
  const rules = parseScope(ending.scope)
  const given = later.flatMap(({ scope }) => parseScope(scope) ?? [])
  return rules !== undefined && isSubset(rules, given)
}
