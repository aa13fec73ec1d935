import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { ActivationCodes } from '../factors/activation-codes.ts'
import { type FactorChanges, withoutFactor } from '../factors/factor-changes.ts'
import type { FreshConfirmation } from '../confirm/fresh-confirmation.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { MAIL_FACTOR_SCHEMA, type MailFactorBody } from './factors.schema.ts'
import { createJsonReader } from './json-body.ts'
import { confirmedOwner } from './settings-owner.ts'

/** Switches mailed passcodes on with a code that was mailed. @throws AuthUiError `two_factor_invalid` (422) */
export type ActivateMail = (ctx: RouteContext, owner: Owner, typed: string) => Promise<void>

/** The one way to it, shared by `/settings/factors/mail` and `/settings/instance/auth_mode`. */
export function createActivateMail(options: {
  readonly activationCodes: ActivationCodes
  readonly factorChanges: FactorChanges
  readonly clock: { now(): number }
}): ActivateMail {
  const { activationCodes, factorChanges, clock } = options
  return async function activateMail(ctx, owner, typed) {
    const spent = await activationCodes.check(ctx, owner, typed)
    if (spent === undefined) throw wrongCode()
    const outcome = await factorChanges.apply(ctx, owner, {
      factor: 'mail',
      what: 'factor_added',
      next: (factors) =>
        factors.mail === undefined ? { ...factors, mail: { enabledAt: clock.now() } } : undefined,
      also: [spent],
    })
    if (outcome === 'spent') throw wrongCode()
  }
}

/** What {@link createMailSettings} needs. */
export interface MailSettingsOptions {
  readonly owners: OwnerStore
  readonly activationCodes: ActivationCodes
  readonly activateMail: ActivateMail
  readonly factorChanges: FactorChanges
  readonly freshConfirmation: FreshConfirmation
}

export interface MailSettings {
  /** `PUT /settings/factors/mail`: mails a code, or switches mailed passcodes on with it. */
  put(ctx: RouteContext): Promise<void>
  /** `DELETE /settings/factors/mail` */
  remove(ctx: RouteContext): Promise<void>
}

/** Passcodes by mail, in the settings app. */
export function createMailSettings(options: MailSettingsOptions): MailSettings {
  const { activationCodes, activateMail, factorChanges } = options
  const readBody = createJsonReader<MailFactorBody>(MAIL_FACTOR_SCHEMA)

  async function readConfirmed(ctx: RouteContext): Promise<{ owner: Owner; typed: string }> {
    const body = readBody(ctx)
    return { owner: await confirmedOwner(ctx, body, options), typed: body.code ?? '' }
  }

  return {
    async put(ctx) {
      const { owner, typed } = await readConfirmed(ctx)
      if (typed !== '') await activateMail(ctx, owner, typed)
      else if (owner.factors?.mail === undefined) await activationCodes.send(ctx, owner)
      ctx.status = 204
    },
    async remove(ctx) {
      const { owner } = await readConfirmed(ctx)
      await factorChanges.apply(ctx, owner, {
        factor: 'mail',
        what: 'factor_removed',
        next: (factors) =>
          factors.mail === undefined ? undefined : withoutFactor(factors, 'mail'),
      })
      ctx.status = 204
    },
  }
}

function wrongCode(): AuthUiError {
  return new AuthUiError('two_factor_invalid', { status: 422 })
}
