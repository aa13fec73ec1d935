import { prefersJson, type RouteContext } from '@svc/platform'
import { AuthUiError, retryAfterS } from '../errors.ts'
import type { SecondFactor } from '../factors/bound.ts'
import type { Challenge, ChallengeRequest } from '../factors/challenge.ts'
import type { Owner } from '../owner/owner.ts'
import type { FormProblemCode } from '../pages/page-models.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import { answerRedirect } from '../web/answer.ts'
import type { SessionOpener } from '../login/open-session.ts'
import type { Redirects, RedirectTarget } from '../web/redirect-target.ts'
import { restartHref } from '../login/restart-href.ts'
import type { SecondStep } from '../login/second-step.ts'

/** What the second step in a browser answers when it is not passed. @see login.md 5.1 */
export interface TwoFactorRefusals {
  /** The open challenge of a token. Those for other endpoints are none here, and not counted as tried. */
  find(ctx: RouteContext, owner: Owner, token: string): Promise<Challenge | undefined>
  /** One answer for every dead token; the page leads to where the browser can begin again. */
  answerDead(ctx: RouteContext, token: string, status: 400 | 401): Promise<void>
  /** A doubled click comes with the session of the first one: it gets where that one got, and no new session. */
  answerDeadOrDone(ctx: RouteContext, owner: Owner, dead: DeadToken): Promise<void>
  /** JSON: the error; HTML: a page whose one link leads to step 1, with what was asked for. */
  answerStartAgain(
    ctx: RouteContext,
    about: ChallengeRequest | undefined,
    error: AuthUiError,
  ): Promise<void>
  /** JSON: the error; HTML: the same form, as long as its challenge lives. */
  askAgain(
    ctx: RouteContext,
    owner: Owner,
    token: string,
    error: AuthUiError,
    code: FormProblemCode,
  ): Promise<void>
}

/** A token that no challenge is open for. */
export interface DeadToken {
  readonly token: string
  /** Where a log-in that was passed with it leads; undefined: home. */
  readonly target: RedirectTarget | undefined
  /** Of the answer when it was not. */
  readonly status: 400 | 401
}

/** What {@link createTwoFactorRefusals} needs. */
export interface TwoFactorRefusalsOptions {
  readonly secondFactor: SecondFactor
  readonly secondStep: SecondStep
  readonly carrier: SessionCarrier
  readonly opener: SessionOpener
  readonly redirects: Redirects
  readonly pages: PageRenderer
}

/** What the other purposes need has its own endpoints, which take the pair themselves. */
const PURPOSES_HERE: ReadonlySet<string> = new Set(['login', 'confirm', 'move'])

/** No dead ends: whatever happened, the browser gets on. */
export function createTwoFactorRefusals(options: TwoFactorRefusalsOptions): TwoFactorRefusals {
  const { secondFactor, secondStep, carrier, opener, redirects, pages } = options

  async function find(
    ctx: RouteContext,
    owner: Owner,
    token: string,
  ): Promise<Challenge | undefined> {
    const challenge = await secondFactor.find(ctx, owner, token)
    return challenge !== undefined && PURPOSES_HERE.has(challenge.purpose) ? challenge : undefined
  }

  async function answerDead(ctx: RouteContext, token: string, status: 400 | 401): Promise<void> {
    const about = await secondFactor.recall(ctx, token)
    await answerStartAgain(ctx, about, new AuthUiError('two_factor_expired', { status }))
  }

  async function answerStartAgain(
    ctx: RouteContext,
    about: ChallengeRequest | undefined,
    error: AuthUiError,
  ): Promise<void> {
    if (prefersJson(ctx)) throw error
    ctx.status = error.status
    const isSamePage = about?.purpose === 'confirm' || about?.purpose === 'move'
    const label = isSamePage ? 'retry' : 'login'
    await pages.errorPage(ctx, { error, next: { href: restartHref(about), label } })
  }

  return {
    find,
    answerDead,
    answerStartAgain,

    async answerDeadOrDone(ctx, owner, { token, target, status }) {
      const session = await carrier.current(ctx)
      const used = session && (await secondFactor.findUsed(ctx, owner, token))
      if (session === undefined || used?.purpose !== 'login') return answerDead(ctx, token, status)
      const to = target ?? (await redirects.home(ctx.state.instance))
      answerRedirect(ctx, await opener.arrive(ctx, to, session))
    },

    async askAgain(ctx, owner, token, error, code) {
      if (prefersJson(ctx)) throw error
      const challenge = await find(ctx, owner, token)
      if (challenge === undefined) return answerDead(ctx, token, 401)
      ctx.status = error.status
      ctx.set({ ...error.headers })
      const wait = retryAfterS(error)
      await secondStep.ask(ctx, owner, challenge, {
        code,
        ...(wait === undefined ? {} : { retryAfterS: wait }),
      })
    },
  }
}
