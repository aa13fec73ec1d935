import {
  DAY_MS,
  type Instance,
  type InstanceId,
  type RecordKind,
  valueSchemas,
} from '@svc/platform'
import { type Change, type IndexKey, indexKey, type Key, secretKey, type Store } from '@svc/store'
import type { AssistantDuration, AssistantNews } from '../ports.ts'
import { isSubset } from '../scopes/evaluate.ts'
import type { Permission } from '../scopes/permission.ts'
import { parseScope } from '../scopes/scope.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { ASSISTANT_DURATIONS } from './consent-durations.ts'
import type { LiveAccess } from './live-access.ts'

const { instant, members, oneOf, text } = valueSchemas

const KIND = 'assistant-choice'
const INDEX = 'assistant-choices'
/** As long as what an assistant did is counted. */
const CHOICE_MS = 90 * DAY_MS

/** What an owner allowed an assistant the last time. It outlives the access, and the client that comes back. */
export type AssistantChoice = {
  readonly clientId: string
  /** Path of the resource. */
  readonly resource: string
  readonly scope: string
  readonly duration: AssistantDuration
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What is kept of the choices of owners. @see docs/decisions/0536 */
export const ASSISTANT_CHOICE_RECORDS: readonly RecordKind[] = [
  {
    kind: KIND,
    version: 1,
    schema: members({
      clientId: text,
      resource: text,
      scope: text,
      duration: oneOf(...ASSISTANT_DURATIONS),
      at: instant,
    }),
    tags: 'instance',
    places: { by: 'index', index: INDEX },
    life: '90 days since the owner allowed it last',
    export: 'yes',
    content:
      'SHA-256 of a client and of the path of a resource: client, path, what the owner allowed the last time, for how long, when',
  },
]

/** What the owner allowed the client of the request for its resource the last time. */
export async function findChoice(
  { store }: { readonly store: Pick<Store, 'get'> },
  { instance, client, resource }: AuthorizeRequest,
): Promise<AssistantChoice | undefined> {
  if (resource === undefined) return undefined
  const record = await store.get<AssistantChoice>(keyOf(instance.id, client.id, resource.path))
  return record?.value
}

/** The change that remembers a choice, to be written with the grant. */
export function rememberChoice({ id }: Instance, choice: AssistantChoice): Change {
  return {
    op: 'put',
    key: keyOf(id, choice.clientId, choice.resource),
    value: choice,
    expiresAt: choice.at + CHOICE_MS,
    indexes: [{ index: choicesIndex(id), sort: String(choice.at).padStart(15, '0') }],
  }
}

/**
 * What the owner wants to be told of a choice; undefined: it is a renewal.
 * @param live - what the client has while the owner decides
 * @param before - what it was allowed the last time
 */
export function newsOf(
  permissions: readonly Permission[],
  live: LiveAccess,
  before: AssistantChoice | undefined,
): AssistantNews | undefined {
  if (before === undefined && live.grants.length === 0) return 'first'
  const allowed = parseScope(before?.scope ?? '') ?? []
  const isNew = (rule: Permission): boolean => !live.isAllowed(rule) && !isSubset([rule], allowed)
  const writes = permissions.filter(({ verbs }) => verbs.some((verb) => verb !== 'GET'))
  return writes.some(isNew) ? 'write' : undefined
}

function keyOf(instanceId: InstanceId, clientId: string, path: string): Key {
  return secretKey(instanceId, KIND, `${clientId} ${path}`)
}

function choicesIndex(instanceId: InstanceId): IndexKey {
  return indexKey(instanceId, INDEX)
}
