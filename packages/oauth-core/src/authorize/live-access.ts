import type { CheckChange, StoredRecord } from '@svc/store'
import type { Instance } from '@svc/platform'
import {
  accessChangeKey,
  type AccessChangeRecord,
  type Grant,
  type GrantServices,
  listGrants,
} from '../engine/grant.ts'
import { isSubset } from '../scopes/evaluate.ts'
import { overlap } from '../scopes/forbidden.ts'
import type { Permission } from '../scopes/permission.ts'
import { parseScope } from '../scopes/scope.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import type { ConsentAnswer } from './consent-choice.ts'

/** What a client holds while its owner decides about more. */
export interface LiveAccess {
  /** Newest first. */
  readonly grants: readonly Grant[]
  /** What they allow. */
  readonly permissions: readonly Permission[]
  /** Whether the rule is allowed already, whole. */
  isAllowed(rule: Permission): boolean
  /** Its last change, within the time that pages from before can be answered. */
  readonly changed?: StoredRecord<AccessChangeRecord> | undefined
}

export async function readLiveAccess(
  services: Pick<GrantServices, 'store'>,
  request: AuthorizeRequest,
): Promise<LiveAccess> {
  const { instance, client } = request
  // First: what changes while the rest is read outdates the page.
  const changed = await findAccessChange(services, instance, client.id)
  return { ...liveAccess(await listGrants(services, instance, client.id), request), changed }
}

function findAccessChange(
  { store }: Pick<GrantServices, 'store'>,
  instance: Instance,
  clientId: string,
): Promise<StoredRecord<AccessChangeRecord> | undefined> {
  return store.get<AccessChangeRecord>(accessChangeKey(instance.id, clientId))
}

/** The condition under which a page is answered: the access is as it was looked at. */
export function whileUnchanged(
  instance: Instance,
  clientId: string,
  { changed }: Pick<LiveAccess, 'changed'>,
): CheckChange {
  const key = accessChangeKey(instance.id, clientId)
  return { op: 'check', key, ...(changed ? { ifRevision: changed.revision } : { ifAbsent: true }) }
}

/**
 * The same for a page, which decides nothing. A client that waits holds nothing, and need not be asked about: it is
 * marked as allowed before its first grant is made. What a document describes may be marked later than it was read.
 */
export async function readShownAccess(
  services: Pick<GrantServices, 'store'>,
  request: AuthorizeRequest,
): Promise<LiveAccess> {
  const { client } = request
  if (client.pending && client.document === undefined) return liveAccess([], request)
  return readLiveAccess(services, request)
}

function liveAccess(
  all: readonly Grant[],
  { client, resource }: Pick<AuthorizeRequest, 'client' | 'resource'>,
): LiveAccess {
  // What is allowed at one resource says nothing about another.
  const grants = all.filter((grant) => grant.resource === resource?.path)
  // The tokens of a client that lost its mark are refused.
  const counted = grants.filter(({ scope }) => scope !== '*' || client.flagship)
  const permissions = counted.flatMap(permissionsOf)
  return { grants, permissions, isAllowed: (rule) => isSubset([rule], permissions) }
}

/**
 * The grants that would give the client more, or for longer, than the owner chose now: without their end the choice
 * would be an empty word (docs/decisions/0121).
 * @param endsAt milliseconds since the epoch
 */
export function supersededGrants(
  { left }: Pick<ConsentAnswer, 'left'>,
  { grants }: LiveAccess,
  endsAt: number = Number.POSITIVE_INFINITY,
): readonly Grant[] {
  return grants.filter((grant) => {
    const isLonger = (grant.endsAt ?? Number.POSITIVE_INFINITY) > endsAt
    return isLonger || permissionsOf(grant).some((rule) => left.some((out) => overlap(rule, out)))
  })
}

function permissionsOf({ scope }: Grant): readonly Permission[] {
  return parseScope(scope) ?? []
}
