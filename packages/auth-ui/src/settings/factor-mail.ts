import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { checkActivationCode, sendActivationCode } from '../factors/activation-codes.ts'
import { changeFactors, type FactorServices, withoutFactor } from '../factors/factor-changes.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { type Visitor, visitorOf } from '../web/visitor.ts'
import { MAIL_FACTOR_SCHEMA, type MailFactorBody, REMOVE_MAIL_SCHEMA } from './factors.schema.ts'
import { confirmedOwner } from './settings-owner.ts'

/** Passcodes by mail, in the settings app. */
export const mailFactorRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'PUT',
    path: '/settings/factors/mail',
    handler: putMail,
    auth: requireSettingsApp,
    body: { types: ['json'], optional: true, schema: MAIL_FACTOR_SCHEMA, refuse: refuseBody },
    statuses: [204, 400, 401, 403, 413, 415, 422, 429],
    family: 'jsonapi',
    cors: 'app-origins',
    limit: [
      { bucket: 'activation-code', inRule: 'before a code is compared; the last one is dead' },
      { bucket: 'two-factor', inRule: 'before a code is compared; a right one is given back' },
      { bucket: 'two-factor-generation', inRule: 'before a code is mailed' },
    ],
    activity: 'factor.added',
    summary: 'Mails a code; with that code switches passcodes by mail on.',
    source: 'login.md 3.4',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/factors/mail',
    handler: removeMail,
    auth: requireSettingsApp,
    body: { types: ['json'], optional: true, schema: REMOVE_MAIL_SCHEMA, refuse: refuseBody },
    statuses: [204, 400, 401, 403, 409, 413, 415],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'factor.removed',
    summary: 'Switches passcodes by mail off.',
    source: 'decision D63',
  }),
]

async function putMail(
  ctx: RouteContext<MailFactorBody | null>,
  services: AuthUiServices,
): Promise<void> {
  const typed = ctx.state.body?.code ?? ''
  const owner = await confirmedOwner(services, ctx)
  const visitor = visitorOf(services, ctx)
  if (typed !== '') await activateMail(services, visitor, owner, typed)
  else if (owner.factors?.mail === undefined) await sendActivationCode(services, visitor, owner)
  ctx.status = 204
}

async function removeMail(
  ctx: RouteContext<MailFactorBody | null>,
  services: AuthUiServices,
): Promise<void> {
  const owner = await confirmedOwner(services, ctx)
  await changeFactors(services, visitorOf(services, ctx), owner, {
    factor: 'mail',
    what: 'factor_removed',
    next: (factors) => (factors.mail === undefined ? undefined : withoutFactor(factors, 'mail')),
  })
  ctx.status = 204
}

/**
 * Switches mailed passcodes on with a code that was mailed: the one way to it, shared by `/settings/factors/mail` and
 * `/settings/instance/auth_mode`.
 * @throws AuthUiError `two_factor_invalid` (422)
 */
export async function activateMail(
  services: FactorServices & Pick<AuthUiServices, 'keyring' | 'limits'>,
  visitor: Visitor,
  owner: Owner,
  typed: string,
): Promise<void> {
  const spent = await checkActivationCode(services, visitor.instance, owner, typed)
  if (spent === undefined) throw wrongCode()
  const enabledAt = services.clock.now()
  const outcome = await changeFactors(services, visitor, owner, {
    factor: 'mail',
    what: 'factor_added',
    next: (factors) =>
      factors.mail === undefined ? { ...factors, mail: { enabledAt } } : undefined,
    also: [spent],
  })
  if (outcome === 'spent') throw wrongCode()
}

function wrongCode(): AuthUiError {
  return new AuthUiError('two_factor_invalid', { status: 422 })
}
