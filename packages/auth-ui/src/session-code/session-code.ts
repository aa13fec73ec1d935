import { noteOwn } from '../web/activity.ts'
import {
  PASSPHRASE_LIMITS,
  SECOND_CODE_LIMITS,
  SECOND_STEP_LIMITS,
  SESSION_CODE_LIMITS,
} from '../login/passphrase-limits.ts'
import type { AuthUiServices } from '../services.ts'
import { findChallenge, startChallenge } from '../factors/second-factor.ts'
import { visitorOf } from '../web/visitor.ts'
import { completeChallenge } from '../factors/challenge-answer.ts'
import { isSecondFactorOn } from '../owner/factors.ts'
import { checkPassphrase } from '../login/passphrase-check.ts'
import { createOpenCode } from '../session/open-code.ts'
import { type Permission, VERBS } from '@svc/oauth-core'
import {
  defineRoute,
  isHttpError,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { SESSION_CODE_SCHEMA } from './session-code.schema.ts'
import { AuthUiError } from '../errors.ts'
import {
  type PostedPair,
  type PostedTexts,
  readPostedPair,
  readPostedTexts,
  refuseTexts,
} from '../web/posted.ts'
import { answerJson } from '../web/answer.ts'
import type { Owner } from '../owner/owner.ts'

/** Around it, {@link checkBearer} looks at bearers. */
export const SESSION_CODE_PATH = '/auth/session_code'
const PURPOSE = 'session_code'
const CHALLENGE = 'Bearer error="invalid_token"'

/** Makes a code that opens a session in a browser; never sets a cookie. @see login.md 5.4, decision D43 */
export const sessionCodeRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: SESSION_CODE_PATH,
    handler: createSessionCode,
    auth: provedInHandler(['access token', 'passphrase'], 'session-code/session-code.ts'),
    body: { types: ['json'], optional: true, schema: SESSION_CODE_SCHEMA, refuse: refuseTexts },
    statuses: [201, 400, 401, 403, 413, 415, 429],
    family: 'json',
    limit: [
      ...PASSPHRASE_LIMITS,
      ...SECOND_CODE_LIMITS,
      ...SECOND_STEP_LIMITS,
      ...SESSION_CODE_LIMITS,
    ],
    activity: ['session_code.made', 'login.failed', 'login.throttled', 'two_factor.failed'],
    summary: 'Makes a code that opens a session in a browser, once.',
    source: 'login.md 5.4',
  }),
]

/**
 * Looks at a bearer that is shown with a body that cannot be read.
 * SPEC: D43 - only a passphrase in the body goes before a bearer; what cannot be read names none.
 */
export async function checkBearer(
  services: AuthUiServices,
  ctx: RouteContext,
  next: () => Promise<void>,
): Promise<void> {
  try {
    await next()
  } catch (error) {
    if (ctx.state.json === undefined && ctx.get('Authorization') !== '')
      await requireFlagship(services, ctx)
    throw error
  }
}

export async function createSessionCode(
  ctx: RouteContext,
  services: AuthUiServices,
): Promise<void> {
  const { instance } = ctx.state
  const posted = readPostedTexts(ctx)
  const pair = readPostedPair(posted)
  // SPEC: login.md 4.8 does not name this endpoint: without a passphrase every one is wrong, and takes as long (3.2).
  const owner = (await services.owners.get(instance.id))?.owner
  if (owner === undefined) throw new AuthUiError('not_authorized')
  const isByBearer = posted.get('passphrase') === undefined && ctx.get('Authorization') !== ''
  if (isByBearer) await requireFlagship(services, ctx)
  else if (!(await passBothSteps(services, ctx, owner, posted, pair))) return
  const note = noteOwn(services, ctx, { event: 'session_code.made' })
  answerJson(ctx, { session_code: await createOpenCode(services, instance, owner, note) })
  ctx.status = 201
}

/** Only a certified app may speak for its owner; nothing here falls through to the body. */
async function requireFlagship(services: AuthUiServices, ctx: RouteContext): Promise<void> {
  try {
    await services.oauth.authenticate(ctx)
  } catch (error) {
    if (!isHttpError(error) || error.status >= 500) throw error
    throw notAuthorized(error.headers?.['WWW-Authenticate'] ?? CHALLENGE, error)
  }
  const { access } = ctx.state
  const isMaximal = access?.permissions.some(isEverything) === true
  if (access?.kind !== 'access' || access.client === undefined || !isMaximal) {
    throw notAuthorized(CHALLENGE)
  }
  // The guard asked already; nothing here relies on that.
  if (!services.oauth.clients.isCertified(access.client)) {
    throw notAuthorized(CHALLENGE)
  }
}

/** False when it answered: the second step is open. */
async function passBothSteps(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  posted: PostedTexts,
  pair: PostedPair | undefined,
): Promise<boolean> {
  try {
    await checkPassphrase(services, ctx, owner, posted.get('passphrase') ?? '')
  } catch (error) {
    const isWrong = AuthUiError.is(error, 'invalid_passphrase')
    throw isWrong ? new AuthUiError('not_authorized', { cause: error }) : error
  }
  if (!isSecondFactorOn(owner.factors)) return true
  if (pair === undefined) {
    await askAgain(services, ctx, owner, new AuthUiError('two_factor_needed'))
    return false
  }
  try {
    await completeChallenge(services, visitorOf(services, ctx), owner, PURPOSE, pair)
    return true
  } catch (error) {
    if (!isWrongPair(error)) throw error
    await askAgain(services, ctx, owner, error, pair.token)
    return false
  }
}

/** SPEC: login.md 5.4 - the same token as long as it lives, so that a typo mails nothing. */
async function askAgain(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  { code, description }: AuthUiError,
  token = '',
): Promise<void> {
  const open =
    token === '' ? undefined : await findChallenge(services, ctx.state.instance, owner, token)
  const isOurs = open?.purpose === PURPOSE
  const challenge = isOurs
    ? open
    : await startChallenge(services, visitorOf(services, ctx), owner, { purpose: PURPOSE })
  answerJson(ctx, { error: description ?? code, code, two_factor_token: challenge.token })
  ctx.status = 403
}

/** The one rule of scope `*`. */
function isEverything({ type, verbs, values }: Permission): boolean {
  return type === '*' && values === undefined && VERBS.every((verb) => verbs.includes(verb))
}

function isWrongPair(error: unknown): error is AuthUiError {
  return (
    AuthUiError.is(error) &&
    (error.code === 'two_factor_invalid' || error.code === 'two_factor_expired')
  )
}

function notAuthorized(challenge: string, cause?: unknown): AuthUiError {
  const headers = { 'WWW-Authenticate': challenge }
  return new AuthUiError('not_authorized', { headers, ...(cause === undefined ? {} : { cause }) })
}
