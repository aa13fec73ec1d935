import { SECOND_CODE_LIMITS } from '../login/passphrase-limits.ts'
import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { sendActivationCode } from '../factors/activation-codes.ts'
import { completeChallenge } from '../factors/challenge-answer.ts'
import { changeFactors } from '../factors/factor-changes.ts'
import { startChallenge } from '../factors/second-factor.ts'
import { answerJson } from '../web/answer.ts'
import { enrolledKinds, isSecondFactorOn, withoutSecondStep } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { refuseBody } from '../web/posted.ts'
import { visitorOf } from '../web/visitor.ts'
import { activateMail } from './factor-mail.ts'
import { AUTH_MODE_SCHEMA, type AuthModeBody } from './factors.schema.ts'
import { checkPassphrase } from '../login/passphrase-check.ts'
import { ownerOf, requireFullSession } from './settings-owner.ts'

/** Mailed passcodes on, or every factor off. @see login.md 7 */
export const authModeRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'PUT',
    path: '/settings/instance/auth_mode',
    handler: putAuthMode,
    auth: requireSettingsApp,
    body: { types: ['json'], schema: AUTH_MODE_SCHEMA, refuse: refuseBody },
    statuses: [200, 204, 400, 401, 403, 409, 413, 415, 422, 429],
    family: 'jsonapi',
    cors: 'app-origins',
    limit: [
      {
        bucket: 'known-device',
        inRule: 'by session, before the passphrase is checked; a right one is given back',
      },
      { bucket: 'activation-code', inRule: 'before a code is compared; the last one is dead' },
      ...SECOND_CODE_LIMITS,
      { bucket: 'two-factor-generation', inRule: 'before a code is mailed' },
    ],
    activity: ['factor.added', 'factor.removed', 'login.failed', 'login.throttled'],
    summary: 'Switches mailed passcodes on, or every factor off.',
    source: 'login.md 7',
  }),
]

async function putAuthMode(
  ctx: RouteContext<AuthModeBody>,
  services: AuthUiServices,
): Promise<void> {
  // The router answered already when there is no body.
  const body = ctx.state.body ?? { auth_mode: '' }
  const { auth_mode: mode } = body
  if (mode !== 'basic' && mode !== 'two_factor_mail') {
    throw new AuthUiError('invalid_parameter', { description: 'unknown auth_mode' })
  }
  await requireFullSession(services, ctx)
  const owner = await ownerOf(services, ctx)
  ctx.status = 204
  if (isSecondFactorOn(owner.factors) === (mode === 'two_factor_mail')) return
  if (mode === 'basic') await switchOff(ctx, services, owner, body)
  else await switchOn(ctx, services, owner, body)
}

async function switchOn(
  ctx: RouteContext,
  services: AuthUiServices,
  owner: Owner,
  body: AuthModeBody,
): Promise<void> {
  const visitor = visitorOf(services, ctx)
  const typed = body.two_factor_activation_code ?? ''
  if (typed !== '') return activateMail(services, visitor, owner, typed)
  await requirePassphrase(ctx, services, owner, body)
  await sendActivationCode(services, visitor, owner)
}

/** The passphrase each time, then the second factor: no way around it (security.md 37, 42). */
async function switchOff(
  ctx: RouteContext,
  services: AuthUiServices,
  owner: Owner,
  body: AuthModeBody,
): Promise<void> {
  const visitor = visitorOf(services, ctx)
  const passcode = readPasscode(body)
  const { two_factor_token: token = '' } = body
  await requirePassphrase(ctx, services, owner, body)
  if (token === '') {
    const challenge = await startChallenge(services, visitor, owner, { purpose: 'auth_mode' })
    return answerJson(ctx, { two_factor_token: challenge.token })
  }
  try {
    await completeChallenge(services, visitor, owner, 'auth_mode', { token, passcode })
  } catch (error) {
    throw asRefusedPair(error)
  }
  await changeFactors(services, visitor, owner, {
    factor: enrolledKinds(owner.factors)[0] ?? 'mail',
    what: 'factor_removed',
    next: withoutSecondStep,
  })
}

async function requirePassphrase(
  ctx: RouteContext,
  services: AuthUiServices,
  owner: Owner,
  { passphrase = '' }: AuthModeBody,
): Promise<void> {
  try {
    await checkPassphrase(services, ctx, owner, passphrase)
  } catch (error) {
    // The bearer is right: a 401 would make clients fetch another.
    if (!AuthUiError.is(error, 'invalid_passphrase')) throw error
    throw new AuthUiError('invalid_passphrase', { status: 400 })
  }
}

/** One field under two names. @throws AuthUiError `invalid_parameter` when they differ */
function readPasscode(body: AuthModeBody): string {
  const { two_factor_passcode: passcode, two_factor_code: code } = body
  if (passcode !== undefined && code !== undefined && passcode !== code) {
    const description = 'two_factor_passcode and two_factor_code differ'
    throw new AuthUiError('invalid_parameter', { description })
  }
  return passcode ?? code ?? ''
}

function asRefusedPair(error: unknown): unknown {
  for (const code of ['two_factor_invalid', 'two_factor_expired'] as const) {
    if (AuthUiError.is(error, code)) return new AuthUiError(code, { status: 400 })
  }
  return error
}
