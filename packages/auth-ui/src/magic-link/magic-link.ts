import { isHttpError, prefersJson, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { SecondFactor } from '../factors/bound.ts'
import type { AnswerActivation } from '../login/activation.ts'
import { acceptedTarget } from '../login/accepted-target.ts'
import { type Arrival } from '../login/arrival.ts'
import { answerRedirect, redirect } from '../web/answer.ts'
import type { Enter } from '../login/enter.ts'
import type { Redirects, RedirectTarget } from '../web/redirect-target.ts'
import { onboardedOwner } from '../owner/onboarded-owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { formProblem } from '../pages/form-problem.ts'
import { isUpgrade } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { MagicCodeCheck } from './magic-code-check.ts'
import { isOfBrowser, type MagicCode } from './magic-codes.ts'
import type { FollowedLink, MagicLinkPages } from './magic-link-pages.ts'
import { readRequestCookies } from './request-cookie.ts'

/** What {@link createMagicLink} needs. */
export interface MagicLinkOptions {
  readonly owners: OwnerStore
  readonly codeCheck: MagicCodeCheck
  readonly secondFactor: SecondFactor
  readonly redirects: Redirects
  readonly arrival: Arrival
  readonly carrier: SessionCarrier
  readonly enter: Enter
  readonly linkPages: MagicLinkPages
  readonly answerActivation: AnswerActivation
}

/** What becomes of a mailed link. */
export interface MagicLinkHandlers {
  /** `GET /auth/magic_link` */
  show(ctx: RouteContext): Promise<void>
  /** `POST /auth/magic_link/open` */
  open(ctx: RouteContext): Promise<void>
  /** `POST /auth/magic_link/twofactor` */
  openWithPassphrase(ctx: RouteContext): Promise<void>
}

const PROBLEMS = ['busy', 'invalid_passphrase', 'rate_limited'] as const

/** The code is used up before the session exists; a refusal uses nothing up. @see login.md 5.3 */
export function createMagicLink(options: MagicLinkOptions): MagicLinkHandlers {
  const { owners, codeCheck, secondFactor, redirects, arrival, carrier, linkPages } = options

  async function show(ctx: RouteContext): Promise<void> {
    const { instance, query } = ctx.state
    const code = query.text('code') || query.text('magic_code')
    const link = await follow(ctx, code, query.text('redirect'))
    if (link === undefined) return options.answerActivation(ctx)
    const live = await carrier.current(ctx)
    const target = link.target ?? (await redirects.home(instance))
    if (live !== undefined) {
      await carrier.touch(ctx)
      return redirect(ctx, await arrival.locate(ctx, target, live, 'empty'))
    }
    await orSuccess(ctx, link, 400, async () => {
      const known = await codeCheck.demand(ctx, link.owner, code)
      const good = await asAsked(ctx, link, known)
      if (secondFactor.isOn(good.owner)) return linkPages.passphrase(ctx, good)
      const isOneClick = isOfBrowser(known, readRequestCookies(ctx)) && !isPrefetch(ctx)
      if (!isOneClick) return linkPages.button(ctx, good)
      // A HEAD says where it would lead, and does nothing.
      if (ctx.method === 'HEAD') return redirect(ctx, (good.target ?? target).href)
      await enter(ctx, good)
    })
  }

  async function open(ctx: RouteContext): Promise<void> {
    const { form } = ctx.state
    const link = await follow(ctx, form.text('code'), redirectionOf(ctx))
    if (link === undefined) return options.answerActivation(ctx)
    const live = await carrier.current(ctx)
    const isThere = live !== undefined && !isUpgrade(live.kind, kindOf(link))
    if (isThere) return enter(ctx, link)
    await orSuccess(ctx, link, 401, async () => {
      const good = await asAsked(ctx, link, await codeCheck.demand(ctx, link.owner, link.code))
      if (!secondFactor.isOn(good.owner)) return enter(ctx, good)
      if (prefersJson(ctx)) throw new AuthUiError('passphrase_required')
      ctx.status = 401
      await linkPages.passphrase(ctx, good)
    })
  }

  async function openWithPassphrase(ctx: RouteContext): Promise<void> {
    const { form } = ctx.state
    const link = await follow(ctx, form.text('magic_code'), redirectionOf(ctx))
    if (link === undefined) return options.answerActivation(ctx)
    await orSuccess(ctx, link, 401, async () => {
      const good = await asAsked(ctx, link, await codeCheck.demand(ctx, link.owner, link.code))
      try {
        await codeCheck.checkPassphrase(ctx, link.owner, link.code, form.text('passphrase'))
      } catch (error) {
        const problem = formProblem(error, PROBLEMS)
        if (problem === undefined || prefersJson(ctx)) throw error
        if (isHttpError(error)) {
          ctx.status = error.status
          ctx.set({ ...error.headers })
        }
        return linkPages.passphrase(ctx, good, problem)
      }
      await enter(ctx, good)
    })
  }

  async function follow(
    ctx: RouteContext,
    code: string,
    redirection: string,
  ): Promise<FollowedLink | undefined> {
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) return undefined
    const { instance } = ctx.state
    const target = redirection === '' ? undefined : await redirects.parse(instance, redirection)
    return { owner, code, target }
  }

  /** The link with the target that it was asked for. @throws AuthUiError `invalid_parameter` when it names another */
  async function asAsked(
    ctx: RouteContext,
    link: FollowedLink,
    { redirect: accepted }: MagicCode,
  ): Promise<FollowedLink> {
    const { instance } = ctx.state
    const parse = (raw: string): Promise<RedirectTarget> => redirects.parse(instance, raw)
    return { ...link, target: await acceptedTarget(accepted, link.target, parse) }
  }

  /** A session that is live and good enough is kept; then the code is too. */
  async function enter(ctx: RouteContext, { owner, code, target }: FollowedLink): Promise<void> {
    const useUp = (): Promise<void> => codeCheck.take(ctx, owner, code)
    const login = { target, isLongRun: false, method: 'magic_link', useUp } as const
    answerRedirect(ctx, await options.enter(ctx, owner, login))
  }

  /** A double click finds its code used up and a live session: that is success. */
  async function orSuccess(
    ctx: RouteContext,
    link: FollowedLink,
    status: 400 | 401,
    run: () => Promise<void>,
  ): Promise<void> {
    try {
      await run()
    } catch (error) {
      if (!AuthUiError.is(error, 'invalid_magic_code')) throw error
      const live = await carrier.current(ctx)
      if (live === undefined) throw new AuthUiError(error.code, { status, cause: error })
      const target = link.target ?? (await redirects.home(ctx.state.instance))
      answerRedirect(ctx, await arrival.locate(ctx, target, live, 'keep'))
    }
  }

  return { show, open, openWithPassphrase }
}

function redirectionOf({ state: { form, query } }: RouteContext): string {
  return form.text('redirect') || query.text('redirect')
}

function kindOf({ target }: FollowedLink): 'short' | 'normal' {
  return target?.isAuthorize === true ? 'short' : 'normal'
}

/** A page that is only looked at ahead of time, or loaded into another: nobody followed the link. */
function isPrefetch(ctx: RouteContext): boolean {
  const purpose = `${ctx.get('Sec-Purpose')};${ctx.get('Purpose')}`.toLowerCase()
  const destination = ctx.get('Sec-Fetch-Dest')
  return purpose.includes('prefetch') || (destination !== '' && destination !== 'document')
}
