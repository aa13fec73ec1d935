import {
  APP_PASSPHRASE_LIMITS,
  SECOND_CODE_LIMITS,
  SECOND_STEP_LIMITS,
  SESSION_CODE_LIMITS,
} from '../login/passphrase-limits.ts'
import { defineRoute, provedInHandler, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { completeChallenge } from '../factors/challenge-answer.ts'
import { findChallenge, startChallenge } from '../factors/second-factor.ts'
import { checkPassphrase } from '../login/passphrase-check.ts'
import { isSecondFactorOn } from '../owner/factors.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { isEmailVerifiedCode, redeemEmailVerifiedCode } from '../session/email-verified-code.ts'
import { answerJson } from '../web/answer.ts'
import { type PostedPair, readPostedPair, readPostedTexts, refuseTexts } from '../web/posted.ts'
import { visitorOf } from '../web/visitor.ts'
import { answerClient, checkClient, type CheckedClient } from './flagship-client.ts'
import { FLAGSHIP_LOGIN_SCHEMA } from './flagship.schema.ts'

/** What an app posts. */
interface Posted {
  readonly passphrase: string
  readonly clientId: string
  readonly clientSecret: string
  readonly emailVerifiedCode: string
  readonly pair: PostedPair | undefined
}

/**
 * The login of an app without a browser. Never sets a cookie. A certified client gets tokens of scope `*`, any other a
 * session code.
 * @see login.md 5.1, oauth.md 8
 */
export const flagshipLoginRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/auth/login/flagship',
    handler: logInFlagship,
    auth: provedInHandler(['client secret', 'passphrase'], 'flagship/flagship-login.ts'),
    body: { types: ['json'], schema: FLAGSHIP_LOGIN_SCHEMA, refuse: refuseTexts },
    statuses: [200, 202, 400, 401, 403, 412, 413, 415, 429],
    family: 'json',
    limit: [
      ...APP_PASSPHRASE_LIMITS,
      ...SECOND_CODE_LIMITS,
      ...SECOND_STEP_LIMITS,
      ...SESSION_CODE_LIMITS,
    ],
    activity: ['flagship.login', 'session_code.made', 'login.failed', 'login.throttled'],
    summary: 'Logs an app in with the passphrase.',
    source: 'login.md 5.1',
  }),
]

async function logInFlagship(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const posted = readPosted(ctx)
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) throw new AuthUiError('onboarding_needed')
  await checkPassphrase(services, ctx, owner, posted.passphrase)
  // Known before anything is used up: a typo in the client's credentials costs nothing.
  const client = await checkClient(services, ctx, posted)
  if (!(await passSecondStep(services, ctx, owner, posted, client))) return
  const method = isSecondFactorOn(owner.factors) ? '2FA' : 'password'
  await answerClient(services, ctx, owner, { client: await client.require(), method })
}

/** False when it answered: the second step is open. */
async function passSecondStep(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  { clientId, emailVerifiedCode, pair }: Posted,
  client: CheckedClient,
): Promise<boolean> {
  if (!isSecondFactorOn(owner.factors)) return true
  const { instance } = ctx.state
  if (await isEmailVerifiedCode(services, instance, owner, emailVerifiedCode)) {
    await client.require()
    if (await redeemEmailVerifiedCode(services, instance, owner, emailVerifiedCode)) return true
  }
  if (pair === undefined) {
    const request = { purpose: 'flagship', clientId } as const
    const { token } = await startChallenge(services, visitorOf(services, ctx), owner, request)
    // SPEC: login.md 5.1 - without `error`: that is how it is told from a wrong passphrase.
    answerJson(ctx, { two_factor_token: token })
    ctx.status = 401
    return false
  }
  await completePair(services, ctx, owner, pair, client)
  return true
}

/** SPEC: login.md 5.1 - a wrong pair is told first, and a wrong client leaves a right pair as it was. */
async function completePair(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  pair: PostedPair,
  client: CheckedClient,
): Promise<void> {
  const begun = await findChallenge(services, ctx.state.instance, owner, pair.token)
  // SPEC: security.md 39 - what was begun for one client is no pair for another, and stays good for its own.
  async function authorize(): Promise<void> {
    const { id } = await client.require()
    if (begun?.clientId !== id) throw new AuthUiError('two_factor_expired')
  }
  const visitor = visitorOf(services, ctx)
  try {
    await completeChallenge(services, visitor, owner, 'flagship', pair, authorize)
  } catch (error) {
    if (!AuthUiError.is(error)) throw error
    const { code } = error
    const isWrong = code === 'two_factor_invalid' || code === 'two_factor_expired'
    throw isWrong ? new AuthUiError(code, { status: 403, cause: error }) : error
  }
}

function readPosted(ctx: RouteContext): Posted {
  const posted = readPostedTexts(ctx)
  return {
    passphrase: posted.require('passphrase'),
    clientId: posted.require('client_id'),
    clientSecret: posted.require('client_secret'),
    emailVerifiedCode: posted.get('email_verified_code') ?? '',
    pair: readPostedPair(posted),
  }
}
