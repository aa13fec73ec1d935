import { type OAuth, type Permission, VERBS } from '@svc/oauth-core'
import { isHttpError, type RouteContext, type RouteMiddleware } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { SecondFactor } from '../factors/bound.ts'
import { type PostedPair, readPostedPair } from '../web/posted-pair.ts'
import { answerJson } from '../web/answer.ts'
import type { PassphraseCheck } from '../login/passphrase-check.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { type PostedTexts, readPostedTexts } from '../web/posted-texts.ts'
import type { OpenCodes } from '../session/open-codes.ts'

/** What {@link createSessionCodeEndpoint} needs. */
export interface SessionCodeOptions {
  readonly owners: OwnerStore
  readonly openCodes: OpenCodes
  readonly passphrases: PassphraseCheck
  readonly secondFactor: SecondFactor
  readonly clients: Pick<OAuth['clients'], 'isCertified'>
  /** Verifies the bearer and sets `ctx.state.access`. */
  readonly authenticate: (ctx: RouteContext) => Promise<void>
}

const PURPOSE = 'session_code'
const CHALLENGE = 'Bearer error="invalid_token"'

/** `POST /auth/session_code`. */
export interface SessionCodeEndpoint {
  /** Looks at a bearer that is shown with a body that cannot be read. */
  readonly judgeBearer: RouteMiddleware
  readonly create: (ctx: RouteContext) => Promise<void>
}

/** Never sets a cookie. @see login.md 5.4, decision D43 */
export function createSessionCodeEndpoint(options: SessionCodeOptions): SessionCodeEndpoint {
  const { owners, openCodes, passphrases, secondFactor, authenticate, clients } = options

  /** SPEC: D43 - only a passphrase in the body goes before a bearer; what cannot be read names none. */
  async function judgeBearer(ctx: RouteContext, next: () => Promise<void>): Promise<void> {
    try {
      await next()
    } catch (error) {
      if (ctx.state.json === undefined && ctx.get('Authorization') !== '') await demandFlagship(ctx)
      throw error
    }
  }

  async function createSessionCode(ctx: RouteContext): Promise<void> {
    const { instance } = ctx.state
    const posted = readPostedTexts(ctx)
    const pair = readPostedPair(posted)
    // SPEC: login.md 4.8 does not name this endpoint: without a passphrase every one is wrong, and takes as long (3.2).
    const owner = (await owners.get(instance.id))?.owner
    if (owner === undefined) throw new AuthUiError('not_authorized')
    const isByBearer = posted.get('passphrase') === undefined && ctx.get('Authorization') !== ''
    if (isByBearer) await demandFlagship(ctx)
    else if (!(await passBothSteps(ctx, owner, posted, pair))) return
    answerJson(ctx, { session_code: await openCodes.create(instance, owner) })
    ctx.status = 201
  }

  return { judgeBearer, create: createSessionCode }

  /** Only a certified app may speak for its owner; nothing here falls through to the body. */
  async function demandFlagship(ctx: RouteContext): Promise<void> {
    try {
      await authenticate(ctx)
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
    if (!clients.isCertified(access.client)) {
      throw notAuthorized(CHALLENGE)
    }
  }

  /** False when it answered: the second step is open. */
  async function passBothSteps(
    ctx: RouteContext,
    owner: Owner,
    posted: PostedTexts,
    pair: PostedPair | undefined,
  ): Promise<boolean> {
    try {
      await passphrases.check(ctx, owner, posted.get('passphrase') ?? '')
    } catch (error) {
      const isWrong = AuthUiError.is(error, 'invalid_passphrase')
      throw isWrong ? new AuthUiError('not_authorized', { cause: error }) : error
    }
    if (!secondFactor.isOn(owner)) return true
    if (pair === undefined) {
      await askAgain(ctx, owner, new AuthUiError('two_factor_needed'))
      return false
    }
    try {
      await secondFactor.complete(ctx, owner, PURPOSE, pair)
      return true
    } catch (error) {
      if (!isWrongPair(error)) throw error
      await askAgain(ctx, owner, error, pair.token)
      return false
    }
  }

  /** SPEC: login.md 5.4 - the same token as long as it lives, so that a typo mails nothing. */
  async function askAgain(
    ctx: RouteContext,
    owner: Owner,
    { code, description }: AuthUiError,
    token = '',
  ): Promise<void> {
    const open = token === '' ? undefined : await secondFactor.find(ctx, owner, token)
    const isOurs = open?.purpose === PURPOSE
    const challenge = isOurs ? open : await secondFactor.begin(ctx, owner, { purpose: PURPOSE })
    answerJson(ctx, { error: description ?? code, code, two_factor_token: challenge.token })
    ctx.status = 403
  }
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
