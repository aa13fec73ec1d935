import type { ActivityEventName } from '@svc/platform'
import type { Change } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import {
  enrolledKinds,
  type EnrolledFactor,
  type Factors,
  hasFactor,
  isPasskeyAsked,
  isSecondFactorOn,
  type RecoveryCodes,
  type TotpFactor,
} from '../owner/factors.ts'
import { sendNews } from '../owner/news.ts'
import type { Owner } from '../owner/owner.ts'
import { readProfile, requireNotHeld } from '../owner/profile.ts'
import type { FactorChange, FactorKind } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { noteOfVisitor } from '../web/activity.ts'
import { settingsUrl } from '../web/settings-app.ts'
import { describeVisitor, type Visitor } from '../web/visitor.ts'
import { removeTrustedDevices } from './trusted-devices.ts'

/** A change of the owner's factors. */
export interface WantedChange {
  readonly factor: FactorKind
  readonly what:
    | 'factor_added'
    | 'factor_removed'
    | 'recovery_codes_created'
    | 'passkey_added'
    | 'passkey_removed'
    | 'second_step'
  /** The factors as they shall be, or undefined when there is nothing to do; asked again after a lost race. */
  next(factors: Factors): Factors | undefined
  /** Recovery codes come with it; beside an earlier factor the owner is told of them, too. */
  readonly hasRecoveryCodes?: boolean
  /** Changes of the same write: what allows it is used up with it. */
  readonly also?: readonly Change[]
}

/** `done`; `nothing` was to be done; `spent`: something that the change needs was used up by another request. */
export type ChangeOutcome = 'done' | 'nothing' | 'spent'

/** What {@link changeFactors} needs. */
export type FactorServices = Pick<
  AuthUiServices,
  'apps' | 'background' | 'clock' | 'log' | 'mailer' | 'oauth' | 'options' | 'owners' | 'store'
>

/** What the owner's record of activity calls them. */
const NOTED = {
  factor_added: 'factor.added',
  factor_removed: 'factor.removed',
  passkey_added: 'passkey.added',
  passkey_removed: 'passkey.removed',
  recovery_codes_created: 'recovery_codes.made',
} as const satisfies Readonly<
  Record<Exclude<WantedChange['what'], 'second_step'>, ActivityEventName>
>

const EVENTS = {
  factor_added: 'factor.added',
  factor_removed: 'factor.removed',
  recovery_codes_created: 'recovery_codes.created',
  passkey_added: 'factor.added',
  passkey_removed: 'factor.removed',
  /** Told as what it does to the second step, if anything. */
  second_step: undefined,
} as const satisfies Readonly<Record<WantedChange['what'], string | undefined>>

/**
 * The only way factors are added and removed: one conditional write of the owner's record. Then it does what belongs to
 * the change: trusted browsers go when the second factor is switched, the owner is told by mail.
 * @param owner - as the request was checked; another passphrase since then refuses it
 * @throws AuthUiError `confirmation_required`, `held`, and what `next` throws
 */
export async function changeFactors(
  services: FactorServices,
  visitor: Visitor,
  { securityStamp }: Owner,
  wanted: WantedChange,
): Promise<ChangeOutcome> {
  const { store, owners, clock } = services
  const { instance } = visitor
  const { factor, what, hasRecoveryCodes = false } = wanted
  const noted = (after: Factors): ActivityEventName => {
    if (what !== 'second_step') return NOTED[what]
    return isPasskeyAsked(after) ? 'passkey.asked' : 'passkey.unasked'
  }
  const noteOf = (after: Factors): readonly Change[] => [
    ...noteOfVisitor(services, visitor, { event: noted(after), detail: { factor } }),
    ...(hasRecoveryCodes ? noteOfVisitor(services, visitor, { event: 'recovery_codes.made' }) : []),
  ]
  for (;;) {
    const stored = await owners.get(instance.id)
    if (stored?.owner.securityStamp !== securityStamp) {
      throw new AuthUiError('confirmation_required')
    }
    const before = stored.owner.factors ?? {}
    const after = wanted.next(before)
    if (after === undefined) return 'nothing'
    if (losesFactor(before, after) || wanted.what === 'recovery_codes_created') {
      requireNotHeld(await readProfile(services, instance), clock.now())
    }
    const wasOn = isSecondFactorOn(before)
    const isOn = isSecondFactorOn(after)
    // Nothing trusted in an earlier time of the second factor is left when it is switched on again.
    if (isOn && !wasOn) await removeTrustedDevices(services, instance)
    const changed = withFactors(stored.owner, after, clock.now())
    const replaced = owners.replace(instance.id, stored, changed)
    const result = await store.write([replaced, ...(wanted.also ?? []), ...noteOf(after)])
    if (!result.written) {
      if (result.failed === replaced.key) continue
      return 'spent'
    }
    if (wasOn && !isOn) await removeTrustedDevices(services, instance)
    notify(services, visitor, wanted, wasOn, isOn)
    return 'done'
  }
}

function notify(
  services: FactorServices,
  visitor: Visitor,
  wanted: WantedChange,
  wasOn: boolean,
  isOn: boolean,
): void {
  const { log } = services
  const { factor, what } = wanted
  const fields = { domain: visitor.instance.domain, factor }
  const event = EVENTS[what]
  if (event !== undefined) log.info(event, fields)
  const change = wasOn === isOn ? what : isOn ? 'two_factor_on' : 'two_factor_off'
  if (wasOn !== isOn) log.info(isOn ? 'two_factor.on' : 'two_factor.off', fields)
  if (change !== 'second_step') mailChange(services, visitor, change, factor)
  if (wanted.hasRecoveryCodes !== true) return
  log.info(EVENTS.recovery_codes_created, { ...fields, factor: 'recovery' })
  if (wasOn) mailChange(services, visitor, 'recovery_codes_created', 'recovery')
}

function mailChange(
  services: FactorServices,
  visitor: Visitor,
  change: FactorChange,
  factor: FactorKind,
): void {
  const { instance } = visitor
  services.background.run('mail.auth_mode_changed', async () => {
    const facts = await describeVisitor(services, visitor)
    const url = await settingsUrl(services, instance, 'security')
    await sendNews(services, instance, {
      template: 'auth_mode_changed',
      variables: { ...facts, url, change, factor: isOwnKind(factor) ? 'own' : factor },
    })
  })
}

function isOwnKind(kind: FactorKind): kind is `x-${string}` {
  return kind.startsWith('x-')
}

/** Whether something that was there goes, is replaced by another, or is asked for no more. @see owner.md 1.6 */
function losesFactor(before: Factors, after: Factors): boolean {
  const ids = new Set([...(after.passkeys ?? []), ...(after.own ?? [])].map(({ id }) => id))
  return (
    (before.mail !== undefined && after.mail === undefined) ||
    (before.totp !== undefined && before.totp.id !== after.totp?.id) ||
    (before.recovery !== undefined && before.recovery.createdAt !== after.recovery?.createdAt) ||
    [...(before.passkeys ?? []), ...(before.own ?? [])].some(({ id }) => !ids.has(id)) ||
    (isPasskeyAsked(before) && !isPasskeyAsked(after))
  )
}

/** Recovery codes go with the last factor they stand beside. */
function withFactors(owner: Owner, factors: Factors, now: number): Owner {
  const { factors: _before, ...rest } = owner
  return { ...rest, ...(hasFactor(factors) ? { factors } : {}), updatedAt: now }
}

/**
 * The factors with an authenticator app, which goes with a lost phone: something else has to stand beside it (D73).
 * @param recovery - codes that the owner has kept; absent: those that are there stay
 * @returns undefined when nothing would
 */
export function withTotp(
  factors: Factors,
  totp: TotpFactor,
  recovery?: RecoveryCodes,
): Factors | undefined {
  const after = { ...factors, totp, ...(recovery === undefined ? {} : { recovery }) }
  return enrolledKinds(after).some((kind) => kind !== 'totp') ? after : undefined
}

/**
 * The factors without one.
 * @throws AuthUiError `factor_needed` when only passkeys would be left, and nothing to type (D63)
 */
export function withoutFactor(factors: Factors, kind: 'mail' | 'totp' | 'recovery'): Factors {
  const { [kind]: _removed, ...left } = factors
  return requireCode(left)
}

/** The factors without one of the host. @throws AuthUiError `factor_needed`, as {@link withoutFactor} */
export function withoutOwn(factors: Factors, name: string): Factors | undefined {
  const { own = [], ...others } = factors
  const kept = own.filter((each) => each.name !== name)
  if (kept.length === own.length) return undefined
  return requireCode(kept.length === 0 ? others : { ...others, own: kept })
}

/** The factors with one of the host in the place of the one of its name, by the rule of {@link withTotp}. */
export function withOwn(
  factors: Factors,
  factor: EnrolledFactor,
  recovery?: RecoveryCodes,
): Factors | undefined {
  const others = (factors.own ?? []).filter(({ name }) => name !== factor.name)
  const own = [...others, factor]
  const after = { ...factors, own, ...(recovery === undefined ? {} : { recovery }) }
  return enrolledKinds(after).some((kind) => kind !== `x-${factor.name}`) ? after : undefined
}

/** @throws AuthUiError `factor_needed` when passkeys are asked for and nothing is left to type */
function requireCode(left: Factors): Factors {
  const kinds = enrolledKinds(left)
  const areAlone = kinds.length > 0 && kinds.every((each) => each === 'passkey')
  if (areAlone && isPasskeyAsked(left)) requireTyped(left)
  return left
}

/**
 * The factors with passkeys asked for after the passphrase, or not.
 * @throws AuthUiError `factor_needed` when there is no passkey, or nothing to type beside them
 */
export function withPasskeyAsked(factors: Factors, enabled: boolean): Factors | undefined {
  if (isPasskeyAsked(factors) === enabled) return undefined
  if (enabled && factors.passkeys === undefined) {
    throw new AuthUiError('factor_needed', { description: 'there is no passkey' })
  }
  if (enabled) requireTyped(factors)
  return { ...factors, passkeyAfterPassphrase: enabled }
}

/** @throws AuthUiError `factor_needed` */
function requireTyped(factors: Factors): void {
  if (enrolledKinds(factors).some((kind) => kind !== 'passkey')) return
  throw new AuthUiError('factor_needed', {
    description: 'passkeys need another factor or recovery codes beside them',
  })
}

/**
 * Where nobody knows a passphrase, one lost device must not be the end.
 * @throws AuthUiError `no_way_in`
 */
export function requireWayIn(
  { passwordDefined }: Owner,
  { passkeys = [], recovery }: Factors,
): void {
  if (passwordDefined !== false) return
  const hasCodes = (recovery?.hashes.length ?? 0) > 0
  if (passkeys.length > 1 || (passkeys.length === 1 && hasCodes)) return
  throw new AuthUiError('no_way_in')
}
