import type { ActivityEvent, Instance } from '@svc/platform'
import type { Change } from '@svc/store'
import { type Client, clientTarget } from '../clients/client.ts'
import { DURATIONS_MS } from '../lifetimes.ts'
import { changeGrant } from '../engine/change-grant.ts'
import { type GrantRecord, listGrants, outdatePages, revokeGrant } from '../engine/grant.ts'
import type { ConsentDuration } from '../ports.ts'
import { isSubset } from '../scopes/evaluate.ts'
import { narrowed } from '../scopes/narrow.ts'
import type { Permission } from '../scopes/permission.ts'
import { parseScope, serializeScope } from '../scopes/scope.ts'
import { type ActivitySource, BY_SERVER } from './activity-source.ts'
import { scheduleEnding } from './access-endings.ts'
import type { OAuthServices } from '../services.ts'

/** What an owner changes of what a client was allowed before. */
export interface AccessChange {
  /**
   * How long from now on: whatever would end earlier lasts so long; what lasts longer stays as it is. What is of a
   * resource ends when its page said.
   */
  readonly duration?: ConsentDuration
  /** What the client keeps, as a scope string; everything else ends. */
  readonly scope?: string
}

/**
 * What became of it. `assistant`: everything is of a resource, whose end cannot be moved: it has to ask again. `ended`: nothing is left that could be changed; `gone`: there is no such client, or its owner
 * never allowed it anything; `not_less`: the scope is none, or gives what the client does not have, or the client's
 * access is one that cannot be divided.
 */
export type AccessChangeOutcome = 'assistant' | 'changed' | 'ended' | 'gone' | 'not_less'

/**
 * Changes every live grant of a client, without asking the client: the tokens that it has of a grant that gives less
 * now are refused at once as expired ones, and those that it gets with its refresh token are of what is left.
 * @see owner.md 3.4; docs/decisions/0470
 */
export async function changeAccess(
  services: OAuthServices,
  instance: Instance,
  id: string,
  { duration, scope }: AccessChange,
  by: ActivitySource = BY_SERVER,
): Promise<AccessChangeOutcome> {
  const { clients, clock, engine, log } = services
  const client = await clients.find(instance, id)
  if (client === undefined || client.pending) return 'gone'
  const grants = await listGrants(engine, instance, client.id)
  if (grants.length === 0) return 'ended'
  // SPEC: owner.md 3.4 - nothing after the end that the page said.
  if (duration !== undefined && grants.every(isOfResource)) return 'assistant'
  const kept = scope === undefined ? undefined : keptRules(scope, grants)
  if (kept === 'not_less') return 'not_less'
  const endsAt = duration === undefined ? undefined : endOf(duration, clock.now())
  if (endsAt !== undefined && Number.isFinite(endsAt)) {
    await scheduleEnding(services, instance, client.id, endsAt)
  }
  const notes = new ChangeNotes(services, instance, client, by)
  const rule = (stored: GrantRecord): GrantRecord | 'nothing left' => {
    const lasting = endsAt === undefined ? stored : extended(stored, endsAt)
    return kept === undefined ? lasting : restricted(lasting, kept)
  }
  const done = new Set<string>()
  for (let left = grants; left.length > 0; ) {
    for (const { id: grantId } of left) {
      done.add(grantId)
      await changeOne(services, instance, grantId, rule, notes)
    }
    // A consent that was answered meanwhile.
    left = (await listGrants(engine, instance, client.id)).filter((grant) => !done.has(grant.id))
  }
  log.info('client.access_changed', {
    domain: instance.domain,
    clientId: client.id,
    ...(duration === undefined ? {} : { duration }),
    ...(scope === undefined ? {} : { scope }),
  })
  return 'changed'
}

async function changeOne(
  services: OAuthServices,
  instance: Instance,
  id: string,
  rule: (grant: GrantRecord) => GrantRecord | 'nothing left',
  notes: ChangeNotes,
): Promise<void> {
  const { engine, revocations, emitter } = services
  let before = ''
  let isLeft = true
  const next = (grant: GrantRecord): GrantRecord => {
    const result = rule(grant)
    before = grant.scope
    isLeft = result !== 'nothing left'
    return result === 'nothing left' ? grant : result
  }
  const also = (was: GrantRecord, is: GrantRecord) => [
    ...notes.of(was, is),
    outdatePages(services, instance, is.clientId),
  ]
  const changed = await changeGrant(services, instance, id, next, also)
  if (!isLeft) {
    const isEnded = await revokeGrant(engine, instance, id, 'narrowed', notes.ofEnd())
    if (isEnded) notes.done()
  }
  if (changed === undefined || !changed.isChanged) return
  notes.done()
  const { clientId, scope, endsAt } = changed.grant
  // Guards everywhere look at the grant again, and what is connected with a token of it is let go.
  if (scope !== before) await revocations.publish({ instanceId: instance.id, kind: 'grant', id })
  const end = endsAt === undefined ? {} : { endsAt }
  emitter.emit('grant.changed', { instance, grantId: id, clientId, scope, ...end })
}

/** One entry for each thing that the owner did, in the write that does it first: not one for each grant. */
class ChangeNotes {
  readonly #services: Pick<OAuthServices, 'activity'>
  readonly #instance: Instance
  readonly #about: ActivitySource & { readonly target: NonNullable<ActivityEvent['target']> }
  #said: readonly string[] = []
  readonly #known = new Set<string>()

  constructor(
    services: Pick<OAuthServices, 'activity'>,
    instance: Instance,
    client: Client,
    by: ActivitySource,
  ) {
    this.#services = services
    this.#instance = instance
    this.#about = { ...by, target: clientTarget(client) }
  }

  of(was: GrantRecord, is: GrantRecord): readonly Change[] {
    const until = is.endsAt === undefined ? {} : { until: is.endsAt }
    return this.#say(
      ...(was.endsAt === is.endsAt ? [] : [{ event: 'access.extended', ...until } as const]),
      ...(was.scope === is.scope ? [] : [{ event: 'rights.reduced' } as const]),
    )
  }

  ofEnd(): readonly Change[] {
    return this.#say({ event: 'rights.reduced' })
  }

  /** What was said last is written. */
  done(): void {
    for (const event of this.#said) this.#known.add(event)
  }

  #say(...events: readonly Pick<ActivityEvent, 'event' | 'until'>[]): readonly Change[] {
    const fresh = events.filter(({ event }) => !this.#known.has(event))
    this.#said = fresh.map(({ event }) => event)
    return fresh.flatMap((event) =>
      this.#services.activity.pending(this.#instance, { ...this.#about, ...event }),
    )
  }
}

function keptRules(
  scope: string,
  grants: readonly { readonly scope: string }[],
): readonly Permission[] | 'not_less' {
  const kept = parseScope(scope)
  const held: Permission[] = []
  for (const grant of grants) {
    // What stands for an app, and everything, cannot be divided (docs/decisions/0121).
    const rules = grant.scope === '*' ? undefined : parseScope(grant.scope)
    if (rules === undefined) return 'not_less'
    held.push(...rules)
  }
  return kept !== undefined && isSubset(kept, held) ? kept : 'not_less'
}

/** @returns milliseconds since the epoch, a whole second; infinity: until it is revoked */
function endOf(duration: ConsentDuration, now: number): number {
  const lifeMs = DURATIONS_MS[duration]
  return lifeMs === undefined ? Number.POSITIVE_INFINITY : Math.floor((now + lifeMs) / 1000) * 1000
}

function extended(grant: GrantRecord, endsAt: number): GrantRecord {
  const { endsAt: before, ...rest } = grant
  if (before === undefined || before >= endsAt || isOfResource(grant)) return grant
  return Number.isFinite(endsAt) ? { ...rest, endsAt } : rest
}

function isOfResource({ resource }: Pick<GrantRecord, 'resource'>): boolean {
  return resource !== undefined
}

function restricted(grant: GrantRecord, kept: readonly Permission[]): GrantRecord | 'nothing left' {
  const rules = parseScope(grant.scope) ?? []
  const left = narrowed(rules, kept)
  if (left.length === 0) return 'nothing left'
  return left === rules ? grant : { ...grant, scope: serializeScope(left) }
}
