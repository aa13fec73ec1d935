import type { Instance, RouteContext } from '@svc/platform'
import { type Change, type Json, type Key, recordKey, type Revision } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import { changeFactors } from '../factors/factor-changes.ts'
import { newRecoveryCodes } from '../factors/recovery-codes.ts'
import type { Factors, RecoveryCodes } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import type { FactorKind } from '../ports.ts'
import { isWithinLimit } from '../rate-limits.ts'
import type { AuthUiServices } from '../services.ts'
import { answerJson } from '../web/answer.ts'
import { visitorOf } from '../web/visitor.ts'
import { ownerOf, requireFullSession } from './settings-owner.ts'
import type { TotpBody } from './factors.schema.ts'

/** What can be enrolled with a code. */
interface Enrollable {
  readonly id: string
  readonly lastUsed?: number
}

/** A factor that a first right code switches on. One enrolment of a record kind at a time: a new one replaces it. */
export interface Enrolment<Factor extends Enrollable> {
  /** Where it waits. */
  readonly record: 'totp-enrolment' | 'own-enrolment'
  kindOf(factor: Factor): FactorKind
  /** The factor with its code used up; undefined: wrong. */
  accept(
    services: AuthUiServices,
    instance: Instance,
    factor: Factor,
    code: string,
  ): Factor | undefined
  /** The factors with it; undefined when nothing would stand beside it. */
  add(factors: Factors, factor: Factor, recovery?: RecoveryCodes): Factors | undefined
}

/** The factor as it will be, what is secret of it sealed. */
interface Pending<Factor> {
  readonly stamp: string
  readonly factor: Factor
  /** Once a code proved the factor: shown to the owner, and on together with it. */
  readonly recovery?: RecoveryCodes
}

/** What is pending, and whose. */
interface Found<Factor> {
  readonly owner: Owner
  readonly pending: Pending<Factor>
  readonly revision: Revision
}

export async function startEnrolment<Factor extends Enrollable>(
  services: AuthUiServices,
  instance: Instance,
  owner: Owner,
  enrolment: Enrolment<Factor>,
  factor: Factor,
): Promise<void> {
  const pending = { stamp: owner.securityStamp, factor }
  await services.store.write([putPending(services, instance, enrolment, pending)])
}

/** A code switches the factor on; alone, only once recovery codes were kept. */
export async function completeEnrolment<Factor extends Enrollable>(
  ctx: RouteContext<TotpBody | null>,
  services: AuthUiServices,
  enrolment: Enrolment<Factor>,
  isMeant: (factor: Factor) => boolean = () => true,
): Promise<void> {
  const { code, kept } = ctx.state.body ?? {}
  if ((code === undefined) === (kept === undefined)) {
    throw new AuthUiError('invalid_parameter', { description: 'either code or kept' })
  }
  const found = await findPending(services, ctx, enrolment)
  if (!isMeant(found.pending.factor)) throw new AuthUiError('not_found')
  if (kept === true) await turnOnWithCodes(ctx, services, enrolment, found)
  else await prove(ctx, services, enrolment, found, code ?? '')
}

/** @throws AuthUiError `not_found` */
async function findPending<Factor extends Enrollable>(
  services: AuthUiServices,
  ctx: RouteContext,
  enrolment: Enrolment<Factor>,
): Promise<Found<Factor>> {
  await requireFullSession(services, ctx)
  const owner = await ownerOf(services, ctx)
  const record = await services.store.get(keyOf(enrolment, ctx.state.instance))
  // Only this file writes these records.
  const pending = record?.value as unknown as Pending<Factor> | undefined
  if (record === undefined || pending?.stamp !== owner.securityStamp) {
    throw new AuthUiError('not_found')
  }
  return { owner, pending, revision: record.revision }
}

/** On with the code where something else stands beside the factor; otherwise recovery codes come first. */
async function prove<Factor extends Enrollable>(
  ctx: RouteContext,
  services: AuthUiServices,
  enrolment: Enrolment<Factor>,
  found: Found<Factor>,
  code: string,
): Promise<void> {
  const { factor } = found.pending
  const proven = await accept(services, ctx.state.instance, enrolment, factor, code)
  const isOn = await turnOn(ctx, services, enrolment, found, proven)
  if (isOn) ctx.status = 204
  else await offerCodes(ctx, services, enrolment, found, proven)
}

/** @throws AuthUiError `not_found` after the last try; `two_factor_invalid` */
async function accept<Factor extends Enrollable>(
  services: AuthUiServices,
  instance: Instance,
  enrolment: Enrolment<Factor>,
  factor: Factor,
  code: string,
): Promise<Factor> {
  const { limits } = services
  // Counted before it is compared; after the last try nothing is pending any more.
  const hasTriesLeft = await isWithinLimit(limits, instance, 'totp-enrolment', factor.id)
  if (!hasTriesLeft) throw new AuthUiError('not_found')
  const accepted = enrolment.accept(services, instance, factor, code)
  if (accepted === undefined) throw new AuthUiError('two_factor_invalid', { status: 422 })
  await limits.release(instance, 'totp-enrolment', factor.id)
  return accepted
}

/** Nothing is on yet: the codes wait with the factor until the owner has them. OPEN(0229) */
async function offerCodes<Factor extends Enrollable>(
  ctx: RouteContext,
  services: AuthUiServices,
  enrolment: Enrolment<Factor>,
  found: Found<Factor>,
  factor: Factor,
): Promise<void> {
  const { instance } = ctx.state
  const { codes, recovery } = newRecoveryCodes(instance, services.clock.now())
  const pending = { ...found.pending, factor, recovery }
  const { written } = await services.store.write([
    putPending(services, instance, enrolment, pending, found.revision),
  ])
  if (!written) throw new AuthUiError('not_found')
  answerJson(ctx, { codes })
}

async function turnOnWithCodes<Factor extends Enrollable>(
  ctx: RouteContext,
  services: AuthUiServices,
  enrolment: Enrolment<Factor>,
  found: Found<Factor>,
): Promise<void> {
  const { factor, recovery } = found.pending
  // Nothing was proven yet.
  if (recovery === undefined) throw new AuthUiError('not_found')
  await turnOn(ctx, services, enrolment, found, factor, recovery)
  ctx.status = 204
}

/** False: nothing would stand beside the factor. @throws AuthUiError `not_found` */
async function turnOn<Factor extends Enrollable>(
  ctx: RouteContext,
  services: AuthUiServices,
  enrolment: Enrolment<Factor>,
  { owner, revision }: Found<Factor>,
  factor: Factor,
  recovery?: RecoveryCodes,
): Promise<boolean> {
  const outcome = await changeFactors(services, visitorOf(services, ctx), owner, {
    factor: enrolment.kindOf(factor),
    what: 'factor_added',
    hasRecoveryCodes: recovery !== undefined,
    next: (factors) => enrolment.add(factors, factor, recovery),
    also: [{ op: 'delete', key: keyOf(enrolment, ctx.state.instance), ifRevision: revision }],
  })
  if (outcome === 'spent') throw new AuthUiError('not_found')
  return outcome === 'done'
}

function putPending<Factor extends Enrollable>(
  { clock, lifetimes }: AuthUiServices,
  instance: Instance,
  enrolment: Enrolment<Factor>,
  pending: Pending<Factor>,
  revision?: Revision,
): Change {
  return {
    op: 'put',
    key: keyOf(enrolment, instance),
    // Interfaces have no index signature, so the compiler cannot see that this is plain JSON.
    value: pending as unknown as Json,
    expiresAt: clock.now() + lifetimes.totpEnrolment,
    ...(revision === undefined ? {} : { ifRevision: revision }),
  }
}

function keyOf({ record }: Pick<Enrolment<never>, 'record'>, instance: Instance): Key {
  return recordKey(instance.id, record, 'pending')
}
