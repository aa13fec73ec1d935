import { PASSPHRASE_LIMITS } from '../login/passphrase-limits.ts'
import { LINK_PASSPHRASE_SCHEMA, OPEN_LINK_SCHEMA } from './magic-link.schema.ts'
import {
  defineRoute,
  isHttpError,
  prefersJson,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { isSecondFactorOn } from '../owner/factors.ts'
import {
  checkPassphraseOfLink,
  isElsewhere,
  isOfBrowser,
  type MagicCode,
  requireMagicCode,
  useElsewhere,
  useUpMagicCode,
} from './magic-code.ts'
import { completeLogin, locateTarget } from '../login/complete-login.ts'
import {
  acceptedTarget,
  formActionSources,
  homeTarget,
  parseTarget,
  type RedirectTarget,
} from '../web/redirect-target.ts'
import { answerActivation } from '../login/activation.ts'
import { AuthUiError } from '../errors.ts'
import { answerRedirect, redirect } from '../web/answer.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import { formProblem } from '../pages/form-problem.ts'
import { SessionNotStored } from '../session/session-middleware.ts'
import { isKept } from '../session/session.ts'
import { readRequestCookies } from './request-link.ts'
import type { Owner } from '../owner/owner.ts'
import type { FormPageModel, FormProblem } from '../pages/page-models.ts'

const PROBLEMS = ['busy', 'invalid_passphrase', 'rate_limited'] as const

/** What becomes of a mailed link. @see login.md 5.3 */
export const magicLinkRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/magic_link',
    handler: showMagicLink,
    auth: provedInHandler(['code', 'session cookie'], 'magic-link/magic-code.ts'),
    limit: [
      { bucket: 'magic-link', inRule: 'wrong codes of an address; asked in requireMagicCode' },
    ],
    statuses: [200, 302, 400, 412, 429],
    family: 'html',
    activity: 'login.succeeded',
    summary: 'Logs in the browser that asked for the link; shows any other one a button.',
    source: 'login.md 5.3',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/magic_link/open',
    handler: openMagicLink,
    auth: provedInHandler(['code'], 'magic-link/magic-code.ts'),
    limit: [
      { bucket: 'magic-link', inRule: 'wrong codes of an address; asked in requireMagicCode' },
    ],
    body: { types: ['form'], schema: OPEN_LINK_SCHEMA },
    statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
    family: 'html',
    csrf: 'origin',
    activity: 'login.succeeded',
    summary: 'Logs in with a link that was opened in another browser.',
    source: 'login.md 5.3',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/magic_link/twofactor',
    handler: openMagicLinkWithPassphrase,
    auth: provedInHandler(['code', 'passphrase'], 'magic-link/magic-code.ts'),
    limit: [
      { bucket: 'magic-link', inRule: 'wrong codes of an address; asked in requireMagicCode' },
      { bucket: 'magic-code-passphrase', inRule: 'wrong passphrases beside a good code' },
      ...PASSPHRASE_LIMITS,
    ],
    body: { types: ['form'], schema: LINK_PASSPHRASE_SCHEMA },
    statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
    family: 'html',
    csrf: 'origin',
    activity: ['login.succeeded', 'login.failed', 'login.throttled'],
    summary: 'Logs in with a link and the passphrase, which stands for the second factor.',
    source: 'login.md 5.3',
  }),
]

async function showMagicLink(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  const code = query.text('code') || query.text('magic_code')
  const link = await followLink(services, ctx, code, query.text('redirect'))
  if (link === undefined) return answerActivation(services, ctx)
  const live = await services.sessionMiddleware.current(ctx)
  const target = link.target ?? (await homeTarget(services, instance))
  if (live !== undefined && live.isElsewhere !== true) {
    await services.sessionMiddleware.touch(ctx)
    return redirect(ctx, await locateTarget(services, ctx, target, live, 'empty'))
  }
  await orSuccess(services, ctx, link, 400, async () => {
    const known = await requireMagicCode(services, ctx, link.owner, code)
    const good = await asAsked(services, ctx, link, known)
    if (isSecondFactorOn(good.owner.factors)) return showLinkPassphrase(services, ctx, good)
    const isOneClick = isOfBrowser(known, readRequestCookies(ctx)) && !isPrefetch(ctx)
    if (good.isElsewhere && known.elsewhere !== undefined) {
      throw new AuthUiError('invalid_magic_code')
    }
    if (!isOneClick) return showLinkButton(services, ctx, good)
    // A HEAD says where it would lead, and does nothing.
    if (ctx.method === 'HEAD') return redirect(ctx, (good.target ?? target).href)
    await logIn(services, ctx, good)
  })
}

async function openMagicLink(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { form } = ctx.state
  const link = await followLink(services, ctx, form.text('code'), redirectionOf(ctx))
  if (link === undefined) return answerActivation(services, ctx)
  const live = await services.sessionMiddleware.current(ctx)
  const isThere = live !== undefined && isKept(live, kindOf(link))
  if (isThere) return logIn(services, ctx, link)
  await orSuccess(services, ctx, link, 401, async () => {
    const good = await asAsked(
      services,
      ctx,
      link,
      await requireMagicCode(services, ctx, link.owner, link.code),
    )
    if (!isSecondFactorOn(good.owner.factors)) {
      return await (good.isElsewhere ? logInElsewhere : logIn)(services, ctx, good)
    }
    if (prefersJson(ctx)) throw new AuthUiError('passphrase_required')
    ctx.status = 401
    await showLinkPassphrase(services, ctx, good)
  })
}

async function openMagicLinkWithPassphrase(
  ctx: RouteContext,
  services: AuthUiServices,
): Promise<void> {
  const { form } = ctx.state
  const link = await followLink(services, ctx, form.text('magic_code'), redirectionOf(ctx))
  if (link === undefined) return answerActivation(services, ctx)
  await orSuccess(services, ctx, link, 401, async () => {
    const good = await asAsked(
      services,
      ctx,
      link,
      await requireMagicCode(services, ctx, link.owner, link.code),
    )
    try {
      await checkPassphraseOfLink(services, ctx, link.owner, link.code, form.text('passphrase'))
    } catch (error) {
      const problem = formProblem(error, PROBLEMS)
      if (problem === undefined || prefersJson(ctx)) throw error
      if (isHttpError(error)) {
        ctx.status = error.status
        ctx.set({ ...error.headers })
      }
      return showLinkPassphrase(services, ctx, good, problem)
    }
    await logIn(services, ctx, good)
  })
}

async function followLink(
  services: AuthUiServices,
  ctx: RouteContext,
  code: string,
  redirection: string,
): Promise<FollowedLink | undefined> {
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return undefined
  const { instance } = ctx.state
  const target = redirection === '' ? undefined : await parseTarget(services, instance, redirection)
  return { owner, code, target, isElsewhere: false }
}

/** The link with the target that it was asked for. @throws AuthUiError `invalid_parameter` when it names another */
async function asAsked(
  services: AuthUiServices,
  ctx: RouteContext,
  link: FollowedLink,
  known: MagicCode,
): Promise<FollowedLink> {
  const { instance } = ctx.state
  const parse = (raw: string): Promise<RedirectTarget> => parseTarget(services, instance, raw)
  return {
    ...link,
    target: await acceptedTarget(known.redirect, link.target, parse),
    isElsewhere: isElsewhere(known, readRequestCookies(ctx)),
  }
}

/** A session that is live and good enough is kept; then the code is too. */
async function logIn(
  services: AuthUiServices,
  ctx: RouteContext,
  { owner, code, target }: FollowedLink,
): Promise<void> {
  const useUp = (): Promise<void> => useUpMagicCode(services, ctx, owner, code)
  const login = { target, isLongRun: false, method: 'magic_link', useUp } as const
  answerRedirect(ctx, await completeLogin(services, ctx, owner, login))
}

/** A session of minutes; the browser that asked keeps its own use of the code. */
async function logInElsewhere(
  services: AuthUiServices,
  ctx: RouteContext,
  { owner, code, target }: FollowedLink,
): Promise<void> {
  const also = await useElsewhere(services, ctx.state.instance, owner, code)
  const login = { target, isLongRun: false, method: 'magic_link', isElsewhere: true, also } as const
  try {
    answerRedirect(ctx, await completeLogin(services, ctx, owner, login))
  } catch (error) {
    if (!(error instanceof SessionNotStored)) throw error
    // Another browser was faster, or the one that asked has used the code up.
    throw new AuthUiError('invalid_magic_code', { cause: error })
  }
}

/** A double click finds its code used up and a live session: that is success. */
async function orSuccess(
  services: AuthUiServices,
  ctx: RouteContext,
  link: FollowedLink,
  status: 400 | 401,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!AuthUiError.is(error, 'invalid_magic_code')) throw error
    const live = await services.sessionMiddleware.current(ctx)
    if (live === undefined) throw new AuthUiError(error.code, { status, cause: error })
    const target = link.target ?? (await homeTarget(services, ctx.state.instance))
    answerRedirect(ctx, await locateTarget(services, ctx, target, live, 'keep'))
  }
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

/** A link that somebody followed. */
export interface FollowedLink {
  readonly owner: Owner
  readonly code: string
  /** Undefined: none was asked for. */
  readonly target: RedirectTarget | undefined
  /** In another browser than the one that asked; false until the code was looked up. */
  readonly isElsewhere: boolean
}

/** One button. The status is the caller's. What a link shows before it logs anybody in. */
export async function showLinkButton(
  services: AuthUiServices,
  ctx: RouteContext,
  link: FollowedLink,
): Promise<void> {
  await services.pages.magicLinkOpenPage(ctx, {
    ...(await form(services, ctx, link)),
    code: link.code,
    isElsewhere: link.isElsewhere,
  })
}

export async function showLinkPassphrase(
  services: AuthUiServices,
  ctx: RouteContext,
  link: FollowedLink,
  problem?: FormProblem,
): Promise<void> {
  await services.pages.magicLinkPassphrasePage(ctx, {
    ...(await form(services, ctx, link)),
    salt: link.owner.salt,
    iterations: link.owner.iterations,
    magicCode: link.code,
    ...(problem === undefined ? {} : { problem }),
  })
}

async function form(
  services: AuthUiServices,
  ctx: RouteContext,
  { target }: FollowedLink,
): Promise<FormPageModel & { readonly redirect: string }> {
  const { instance } = ctx.state
  return {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: formActionSources(
      instance,
      target ?? (await homeTarget(services, instance)),
    ),
    redirect: target?.href ?? '',
  }
}
