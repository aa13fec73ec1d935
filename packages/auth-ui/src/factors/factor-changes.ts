import type { ActivityEventName } from '@svc/platform'
import type { Change } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import {
  enrolledKinds,
  type Factors,
  isSecondFactorOn,
  type RecoveryCodes,
  type TotpFactor,
} from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import type { FactorChange, FactorKind } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { noteOfVisitor } from '../web/activity.ts'
import { securityUrl } from '../web/settings-app.ts'
import { describeVisitor, type Visitor } from '../web/visitor.ts'
import { removeTrustedDevices } from './trusted-devices.ts'

/** A change of the owner's factors. */
export interface WantedChange {
  readonly factor: FactorKind
  readonly what: 'factor_added' | 'factor_removed' | 'recovery_codes_created'
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
  recovery_codes_created: 'recovery_codes.made',
} as const satisfies Readonly<Record<WantedChange['what'], ActivityEventName>>

const EVENTS = {
  factor_added: 'factor.added',
  factor_removed: 'factor.removed',
  recovery_codes_created: 'recovery_codes.created',
} as const satisfies Readonly<Record<WantedChange['what'], string>>

/**
 * The only way factors are added and removed: one conditional write of the owner's record. Then it does what belongs to
 * the change: trusted browsers go when the second factor is switched, the owner is told by mail.
 * @param owner - as the request was checked; another passphrase since then refuses it
 * @throws AuthUiError `confirmation_required`, and what `next` throws
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
  const note = [
    ...noteOfVisitor(services, visitor, { event: NOTED[what], detail: { factor } }),
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
    const wasOn = isSecondFactorOn(before)
    const isOn = isSecondFactorOn(after)
    // Nothing trusted in an earlier time of the second factor is left when it is switched on again.
    if (isOn && !wasOn) await removeTrustedDevices(services, instance)
    const changed = withFactors(stored.owner, after, clock.now())
    const replaced = owners.replace(instance.id, stored, changed)
    const result = await store.write([replaced, ...(wanted.also ?? []), ...note])
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
  log.info(EVENTS[what], fields)
  const change = wasOn === isOn ? what : isOn ? 'two_factor_on' : 'two_factor_off'
  if (wasOn !== isOn) log.info(isOn ? 'two_factor.on' : 'two_factor.off', fields)
  mailChange(services, visitor, change, factor)
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
    const url = await securityUrl(services, instance)
    await services.mailer.send(instance, {
      template: 'auth_mode_changed',
      variables: { ...facts, url, change, factor },
    })
  })
}

/** Recovery codes go with the last factor they stand beside. */
function withFactors(owner: Owner, factors: Factors, now: number): Owner {
  const { factors: _before, ...rest } = owner
  return { ...rest, ...(isSecondFactorOn(factors) ? { factors } : {}), updatedAt: now }
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
  const kinds = enrolledKinds(left)
  if (kinds.length > 0 && kinds.every((each) => each === 'passkey')) {
    throw new AuthUiError('factor_needed', {
      description: 'passkeys need another factor or recovery codes beside them',
    })
  }
  return left
}

/** Whether a passkey may be added: something that can be typed is there (D63). */
export function canAddPasskey(factors: Factors | undefined): boolean {
  return enrolledKinds(factors).some((kind) => kind !== 'passkey')
}
