import {
  ACTIVITY_GROUPS,
  defineRoute,
  type Instance,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { StoredRecord } from '@svc/store'
import type { Entry } from '../chain/entry.ts'
import { actorIndex, ENTRIES, groupIndex, index, REFUSED } from '../chain/keys.ts'
import { OTHER_KINDS } from '../usage/counts.ts'
import { ActivityError } from '../errors.ts'
import type { ActivityServices } from '../services.ts'
import { requireSettingsApp } from './callers.ts'

/** What a request asks for. */
interface Wanted {
  readonly limit: number
  readonly cursor: string | undefined
  readonly group: string | undefined
  /** `<kind>:<id>`; the id may be empty. */
  readonly actor: string | undefined
  readonly outcome: string | undefined
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly to: number
}

/** How often a client read or changed a kind of data. */
interface Use {
  readonly what: 'changes' | 'reads'
  /** In the owner's language; absent: of all other kinds together. */
  readonly kind?: string
  readonly count: number
}

const DEFAULT_PAGE = 30
const MAX_PAGE = 100
/** Entries that one request looks through for those that fit. */
const MAX_SEEN = 1000

export const listRoute: Route<ActivityServices> = defineRoute({
  method: 'GET',
  path: '/settings/activity',
  handler: listActivity,
  auth: requireSettingsApp,
  statuses: [200, 400, 401, 403],
  family: 'jsonapi',
  cors: 'app-origins',
  summary:
    'What happened in the space, newest first: `filter[group]`, `filter[actor]`, `filter[outcome]`, `filter[from]`, `filter[to]`, `page[cursor]`, `page[limit]` (1 to 100).',
  source: 'owner.md 5.7',
})

async function listActivity(ctx: RouteContext, services: ActivityServices): Promise<void> {
  const { instance } = ctx.state
  const wanted = wantedOf(ctx)
  // What was done a moment ago is part of the answer.
  await services.chainer.chain(instance.id)
  const { entries, cursor } = await entriesOf(services, instance.id, wanted)
  const data = []
  for (const entry of entries) {
    const rights = await rightsOf(services, instance, entry)
    data.push({
      type: `${services.namespace}.settings.activity`,
      id: String(entry.seq),
      attributes: {
        ...entry,
        ...rights,
        ...usesOf(services, instance, entry),
        time: new Date(entry.time).toISOString(),
      },
    })
  }
  ctx.type = 'application/vnd.api+json'
  ctx.body = { data, links: cursor === undefined ? {} : { next: nextLink(ctx, cursor) } }
}

/** The rules of a consent in the owner's language, beside the entry: its words are not part of the chain. */
async function rightsOf(
  { owners }: ActivityServices,
  instance: Instance,
  { detail }: Entry,
): Promise<{ readonly rights?: readonly string[] }> {
  const { scope } = (detail ?? {}) as { readonly scope?: unknown }
  return typeof scope === 'string' ? { rights: await owners.rightsInWords(instance, scope) } : {}
}

/** The counts of a day by the names of their kinds, the most used first. */
function usesOf(
  { owners }: ActivityServices,
  instance: Instance,
  { event, detail }: Entry,
): { readonly uses?: readonly Use[] } {
  if (event !== 'client.used') return {}
  // Written by this package.
  const counted = (detail ?? {}) as Readonly<Record<Use['what'], Record<string, number>>>
  const uses = (['reads', 'changes'] as const).flatMap((what) =>
    Object.entries(counted[what] ?? {})
      .toSorted(([, one], [, other]) => other - one)
      .map(([type, count]) => {
        const kind = type === OTHER_KINDS ? {} : { kind: owners.kindInWords(instance, type) }
        return { what, ...kind, count }
      }),
  )
  return { uses }
}

async function entriesOf(
  { store }: ActivityServices,
  instanceId: string,
  wanted: Wanted,
): Promise<{ readonly entries: readonly Entry[]; readonly cursor?: string }> {
  const name = index(instanceId, indexOf(wanted))
  const entries: Entry[] = []
  let { cursor } = wanted
  let seen = 0
  do {
    const room = wanted.limit - entries.length
    const page = await store
      .list<Entry>(name, {
        order: 'desc',
        limit: room,
        ...(cursor !== undefined && { cursor }),
      })
      .catch((error: unknown) => {
        // What the store says of a cursor that it did not make.
        if (error instanceof TypeError) throw malformed('page[cursor]')
        throw error
      })
    entries.push(...page.records.filter(isWanted(wanted)).map(({ value }) => value))
    seen += page.records.length
    cursor = page.cursor
    const oldest = page.records.at(-1)?.value.time
    if (oldest !== undefined && oldest < wanted.from) return { entries }
  } while (cursor !== undefined && entries.length < wanted.limit && seen < MAX_SEEN)
  return { entries, ...(cursor !== undefined && { cursor }) }
}

/** The index that leaves out most. */
function indexOf({ actor, outcome, group }: Wanted): string {
  if (actor !== undefined) {
    const [kind = '', ...id] = actor.split(':')
    return actorIndex(kind, id.join(':'))
  }
  if (outcome === 'refused') return REFUSED
  return group === undefined ? ENTRIES : groupIndex(group)
}

function isWanted({ group, outcome, from, to }: Wanted) {
  return ({ value }: StoredRecord<Entry>): boolean =>
    (group === undefined || value.group === group) &&
    (outcome === undefined || value.outcome === outcome) &&
    value.time >= from &&
    value.time < to
}

function wantedOf(ctx: RouteContext): Wanted {
  const { query } = ctx.state
  const group = query.get('filter[group]')
  if (group !== undefined && !ACTIVITY_GROUPS.some((known) => known === group)) {
    throw malformed('filter[group]')
  }
  const outcome = query.get('filter[outcome]')
  if (outcome !== undefined && outcome !== 'ok' && outcome !== 'refused') {
    throw malformed('filter[outcome]')
  }
  const actor = query.get('filter[actor]')
  if (actor !== undefined && !/^[a-z]+(?::.{0,100})?$/.test(actor)) throw malformed('filter[actor]')
  const limit = Number(query.get('page[limit]') ?? DEFAULT_PAGE)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) throw malformed('page[limit]')
  return {
    limit,
    cursor: query.get('page[cursor]'),
    group,
    actor,
    outcome,
    from: instantOf(ctx, 'filter[from]') ?? 0,
    to: instantOf(ctx, 'filter[to]') ?? Number.POSITIVE_INFINITY,
  }
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/

function instantOf(ctx: RouteContext, name: string): number | undefined {
  const text = ctx.state.query.get(name)
  if (text === undefined) return undefined
  const instant = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(instant)) throw malformed(name)
  return instant
}

function nextLink(ctx: RouteContext, cursor: string): string {
  const query = new URLSearchParams([...ctx.state.query.entries()])
  query.set('page[cursor]', cursor)
  return `${ctx.path}?${query.toString()}`
}

function malformed(name: string): ActivityError {
  return new ActivityError('invalid_request', { description: `${name} is malformed` })
}
