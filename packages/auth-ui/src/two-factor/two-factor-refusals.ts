import type { Challenge, ChallengeRequest } from '../factors/challenge.ts'
import type { AuthUiServices } from '../services.ts'
import { askSecondStep, restartHref } from '../login/second-step.ts'
import { leadOn } from '../login/complete-login.ts'
import { homeTarget, type RedirectTarget } from '../web/redirect-target.ts'
import { findChallenge, findUsedChallenge, recallChallenge } from '../factors/second-factor.ts'
import { prefersJson, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import type { FormProblemCode } from '../pages/page-models.ts'
import { answerRedirect } from '../web/answer.ts'
import { retryAfterS } from '../web/retry-after.ts'

/** A token that no challenge is open for. */
export interface DeadToken {
  readonly token: string
  /** Where a login that was passed with it leads; undefined: home. */
  readonly target: RedirectTarget | undefined
  /** Of the answer when it was not. */
  readonly status: 400 | 401
}

/** What the other purposes need has its own endpoints, which take the pair themselves. */
const PURPOSES_HERE: ReadonlySet<string> = new Set(['login', 'confirm', 'move'])

/**
 * The open challenge of a token. Those for other endpoints are none here, and not counted as tried.
 * @see login.md 5.1
 */
export async function findBrowserChallenge(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  token: string,
): Promise<Challenge | undefined> {
  const challenge = await findChallenge(services, ctx.state.instance, owner, token)
  return challenge !== undefined && PURPOSES_HERE.has(challenge.purpose) ? challenge : undefined
}

/** One answer for every dead token; the page leads to where the browser can begin again. */
export async function answerDead(
  services: AuthUiServices,
  ctx: RouteContext,
  token: string,
  status: 400 | 401,
): Promise<void> {
  const about = await recallChallenge(services, ctx.state.instance, token)
  await answerStartAgain(services, ctx, about, new AuthUiError('two_factor_expired', { status }))
}

/** JSON: the error; HTML: a page whose one link leads to step 1, with what was asked for. */
export async function answerStartAgain(
  services: AuthUiServices,
  ctx: RouteContext,
  about: ChallengeRequest | undefined,
  error: AuthUiError,
): Promise<void> {
  if (prefersJson(ctx)) throw error
  ctx.status = error.status
  const isSamePage = about?.purpose === 'confirm' || about?.purpose === 'move'
  const label = isSamePage ? 'retry' : 'login'
  await services.pages.errorPage(ctx, { error, next: { href: restartHref(about), label } })
}

/** A doubled click comes with the session of the first one: it gets where that one got, and no new session. */
export async function answerDeadOrDone(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  { token, target, status }: DeadToken,
): Promise<void> {
  const session = await services.sessionMiddleware.current(ctx)
  const used = session && (await findUsedChallenge(services, ctx.state.instance, owner, token))
  if (session === undefined || used?.purpose !== 'login')
    return answerDead(services, ctx, token, status)
  const to = target ?? (await homeTarget(services, ctx.state.instance))
  answerRedirect(ctx, await leadOn(services, ctx, to, session))
}

/** JSON: the error; HTML: the same form, as long as its challenge lives. */
export async function askAgain(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  token: string,
  error: AuthUiError,
  code: FormProblemCode,
): Promise<void> {
  if (prefersJson(ctx)) throw error
  const challenge = await findBrowserChallenge(services, ctx, owner, token)
  if (challenge === undefined) return answerDead(services, ctx, token, 401)
  ctx.status = error.status
  ctx.set({ ...error.headers })
  const wait = retryAfterS(error)
  await askSecondStep(services, ctx, owner, challenge, {
    code,
    ...(wait === undefined ? {} : { retryAfterS: wait }),
  })
}
