import { isHttpError, prefersJson, type RouteContext } from '@svc/oauth-core'
import type { Csrf } from '../csrf.ts'
import { AuthUiError, retryAfterS } from '../errors.ts'
import type { SecondFactor } from '../factors/second-factor.ts'
import type { AnswerActivation } from '../login/activation.ts'
import { type Arrival, answerRedirect, formActionSources, redirect } from '../login/arrival.ts'
import type { SessionOpener } from '../login/open-session.ts'
import type { Redirects, RedirectTarget } from '../login/redirect-target.ts'
import { onboardedOwner } from '../owner/onboarded-owner.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { FormProblem, PageRenderer } from '../page-renderer.ts'
import type { HostHooks } from '../ports.ts'
import { isUpgrade, type Session, type SessionKind } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { MagicCodeCheck } from './magic-code-check.ts'
import { isOfBrowser } from './magic-codes.ts'
import { loginPath } from './magic-link-url.ts'
import { readRequestCookies } from './request-cookie.ts'

/** What {@link createMagicLink} needs. */
export interface MagicLinkOptions {
  readonly owners: OwnerStore
  readonly codeCheck: MagicCodeCheck
  readonly secondFactor: SecondFactor
  readonly redirects: Redirects
  readonly arrival: Arrival
  readonly carrier: SessionCarrier
  readonly opener: SessionOpener
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly hooks: HostHooks
  readonly clientAddress: (ctx: RouteContext) => string
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

/** A link that somebody followed. */
interface Followed {
  readonly owner: Owner
  readonly code: string
  /** Undefined: none was asked for. */
  readonly target: RedirectTarget | undefined
}

/** The code is used up before the session exists; a refusal uses nothing up. @see login.md 5.3 */
export function createMagicLink(options: MagicLinkOptions): MagicLinkHandlers {
  const { owners, codeCheck, secondFactor, redirects, arrival, carrier, opener, pages } = options
  const { csrf, hooks, clientAddress } = options

  async function show(ctx: RouteContext): Promise<void> {
    const { query } = ctx.state
    const code = query.text('code') || query.text('magic_code')
    const followed = await follow(ctx, code, query.text('redirect'))
    if (followed === undefined) return options.answerActivation(ctx)
    const live = await carrier.current(ctx)
    if (live !== undefined) return goOn(ctx, followed, live)
    const known = await refusing(ctx, followed, 400, () =>
      codeCheck.demand(ctx, followed.owner, code),
    )
    if (known === undefined) return
    if (secondFactor.isOn(followed.owner)) return showPassphraseForm(ctx, followed)
    if (!isOfBrowser(known, readRequestCookies(ctx)) || isPrefetch(ctx)) {
      return showButton(ctx, followed)
    }
    // A HEAD says where it would lead, and does nothing.
    if (ctx.method === 'HEAD') return redirect(ctx, (await targetOf(ctx, followed)).href)
    await refusing(ctx, followed, 400, () => enter(ctx, followed))
  }

  async function open(ctx: RouteContext): Promise<void> {
    const { form, query } = ctx.state
    const code = form.text('code')
    const followed = await follow(ctx, code, form.text('redirect') || query.text('redirect'))
    if (followed === undefined) return options.answerActivation(ctx)
    if (await isThere(ctx, followed)) return
    await refusing(ctx, followed, 401, async () => {
      await codeCheck.demand(ctx, followed.owner, code)
      if (!secondFactor.isOn(followed.owner)) return enter(ctx, followed)
      if (prefersJson(ctx)) throw new AuthUiError('passphrase_required')
      ctx.status = 401
      await showPassphraseForm(ctx, followed)
    })
  }

  async function openWithPassphrase(ctx: RouteContext): Promise<void> {
    const { form, query } = ctx.state
    const code = form.text('magic_code')
    const followed = await follow(ctx, code, form.text('redirect') || query.text('redirect'))
    if (followed === undefined) return options.answerActivation(ctx)
    await refusing(ctx, followed, 401, async () => {
      await codeCheck.demand(ctx, followed.owner, code)
      try {
        await codeCheck.checkPassphrase(ctx, followed.owner, code, form.text('passphrase'))
      } catch (error) {
        const problem = problemOf(error)
        if (problem === undefined || prefersJson(ctx)) throw error
        if (isHttpError(error)) {
          ctx.status = error.status
          ctx.set({ ...error.headers })
        }
        return showPassphraseForm(ctx, followed, problem)
      }
      if (!(await isThere(ctx, followed))) await enter(ctx, followed)
    })
  }

  async function follow(
    ctx: RouteContext,
    code: string,
    redirection: string,
  ): Promise<Followed | undefined> {
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) return undefined
    const { instance } = ctx.state
    const target = redirection === '' ? undefined : await redirects.parse(instance, redirection)
    return { owner, code, target }
  }

  async function targetOf(ctx: RouteContext, { target }: Followed): Promise<RedirectTarget> {
    return target ?? (await redirects.home(ctx.state.instance))
  }

  async function goOn(ctx: RouteContext, followed: Followed, session: Session): Promise<void> {
    await carrier.touch(ctx)
    const target = await targetOf(ctx, followed)
    redirect(ctx, await arrival.locate(ctx, target, session, 'empty'))
  }

  /** Answers when the browser is logged in already, well enough for the target: no code is used up. */
  async function isThere(ctx: RouteContext, followed: Followed): Promise<boolean> {
    const live = await carrier.current(ctx)
    if (live === undefined || isUpgrade(live.kind, kindOf(followed))) return false
    await arrive(ctx, followed, live)
    return true
  }

  async function arrive(ctx: RouteContext, followed: Followed, session: Session): Promise<void> {
    answerRedirect(ctx, await opener.arrive(ctx, await targetOf(ctx, followed), session))
  }

  async function enter(ctx: RouteContext, followed: Followed): Promise<void> {
    const { instance } = ctx.state
    const { owner, code, target } = followed
    const method = 'magic_link'
    const address = clientAddress(ctx)
    // What the host refuses uses nothing up.
    await hooks.onLogin?.({ instance, method, address, userAgent: ctx.get('User-Agent') })
    await codeCheck.take(ctx, owner, code)
    const session = await opener.open(ctx, owner, {
      kind: kindOf(followed),
      method,
      clientRegistration: target?.isAuthorize === true,
    })
    await arrive(ctx, followed, session)
  }

  /**
   * Runs what a bad code ends. A double click finds its code used and a live session: that is success. Otherwise the
   * page of the refusal leads to a log-in with the same target.
   */
  async function refusing<Result>(
    ctx: RouteContext,
    followed: Followed,
    status: 400 | 401,
    run: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof AuthUiError) || error.code !== 'invalid_magic_code') throw error
      const live = await carrier.current(ctx)
      if (live !== undefined) {
        await arrive(ctx, followed, live)
        return undefined
      }
      const refusal = new AuthUiError('invalid_magic_code', { status, cause: error })
      if (prefersJson(ctx)) throw refusal
      ctx.status = status
      const href = loginPath(followed.target?.href ?? '')
      await pages.errorPage(ctx, { error: refusal, next: { href, label: 'login' } })
      return undefined
    }
  }

  async function formModel(ctx: RouteContext, followed: Followed) {
    const { instance } = ctx.state
    return {
      csrfToken: await csrf.token(ctx),
      formActionSources: formActionSources(instance, await targetOf(ctx, followed)),
      redirect: followed.target?.href ?? '',
    }
  }

  async function showButton(ctx: RouteContext, followed: Followed): Promise<void> {
    await pages.magicLinkOpenPage(ctx, { ...(await formModel(ctx, followed)), code: followed.code })
  }

  async function showPassphraseForm(
    ctx: RouteContext,
    followed: Followed,
    problem?: FormProblem,
  ): Promise<void> {
    const { owner, code } = followed
    await pages.magicLinkPassphrasePage(ctx, {
      ...(await formModel(ctx, followed)),
      salt: owner.salt,
      iterations: owner.iterations,
      magicCode: code,
      ...(problem === undefined ? {} : { problem }),
    })
  }

  return { show, open, openWithPassphrase }
}

function kindOf({ target }: Followed): SessionKind {
  return target?.isAuthorize === true ? 'short' : 'normal'
}

/** A page that is only looked at ahead of time, or loaded into another: nobody followed the link. */
function isPrefetch(ctx: RouteContext): boolean {
  const purpose = `${ctx.get('Sec-Purpose')};${ctx.get('Purpose')}`.toLowerCase()
  const destination = ctx.get('Sec-Fetch-Dest')
  return purpose.includes('prefetch') || (destination !== '' && destination !== 'document')
}

function problemOf(error: unknown): FormProblem | undefined {
  if (!(error instanceof AuthUiError)) return undefined
  const { code } = error
  if (code !== 'invalid_passphrase' && code !== 'rate_limited' && code !== 'busy') return undefined
  const wait = retryAfterS(error)
  return wait === undefined ? { code } : { code, retryAfterS: wait }
}
