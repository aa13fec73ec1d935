import { isHttpError, prefersJson, type RouteContext } from '@svc/oauth-core'
import type { Csrf } from '../csrf.ts'
import { AuthUiError, retryAfterS } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { FormProblem, PageRenderer } from '../page-renderer.ts'
import type { HostHooks } from '../ports.ts'
import { isUpgrade, type Session, type SessionKind } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { AnswerActivation } from './activation.ts'
import { type Arrival, answerRedirect, formActionSources, redirect } from './arrival.ts'
import type { SessionOpener } from './open-session.ts'
import type { PassphraseCheck } from './passphrase-check.ts'
import type { Redirects, RedirectTarget } from './redirect-target.ts'

/** What {@link createLogin} needs. */
export interface LoginOptions {
  readonly owners: OwnerStore
  readonly redirects: Redirects
  readonly carrier: SessionCarrier
  readonly opener: SessionOpener
  readonly passphrases: PassphraseCheck
  readonly arrival: Arrival
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly hooks: HostHooks
  readonly clientAddress: (ctx: RouteContext) => string
  readonly answerActivation: AnswerActivation
}

/** The log-in form and its answer. */
export interface LoginHandlers {
  /** `GET /auth/login` */
  show(ctx: RouteContext): Promise<void>
  /** `POST /auth/login` */
  submit(ctx: RouteContext): Promise<void>
}

/** What a log-in form is about. */
interface Asked {
  readonly owner: Owner
  /** Undefined: none was asked for. */
  readonly target: RedirectTarget | undefined
  readonly emailVerifiedCode: string
  readonly isLongRun: boolean
}

const EMAIL_VERIFIED_CODE = /^[A-Za-z0-9]{32}$/
const TRUE = new Set(['1', 'true', 'on'])

/** Order of a POST: origin, owner, redirect, limits, passphrase, session. @see login.md 5.1 */
export function createLogin(options: LoginOptions): LoginHandlers {
  const { owners, redirects, carrier, opener, passphrases, arrival, pages, csrf, hooks } = options

  async function show(ctx: RouteContext): Promise<void> {
    const { instance, query } = ctx.state
    const owner = await onboardedOwner(ctx)
    if (owner === undefined) return options.answerActivation(ctx)
    const target = await parseTarget(ctx, query.text('redirect'))
    const emailVerifiedCode = query.text('email_verified_code')
    if (emailVerifiedCode !== '' && !EMAIL_VERIFIED_CODE.test(emailVerifiedCode)) {
      throw new AuthUiError('invalid_parameter', { description: 'malformed email_verified_code' })
    }
    const session = await carrier.current(ctx)
    if (session !== undefined) {
      await carrier.touch(ctx)
      const to = target ?? (await redirects.home(instance))
      return redirect(ctx, await arrival.locate(ctx, to, session, 'empty'))
    }
    await showForm(ctx, { owner, target, emailVerifiedCode, isLongRun: false })
  }

  async function submit(ctx: RouteContext): Promise<void> {
    const { instance, form, query } = ctx.state
    const owner = await onboardedOwner(ctx)
    if (owner === undefined) return options.answerActivation(ctx)
    const target = await parseTarget(ctx, form.text('redirect') || query.text('redirect'))
    const asked: Asked = {
      owner,
      target,
      emailVerifiedCode: validOrEmpty(form.text('email_verified_code')),
      isLongRun: TRUE.has(form.text('long-run-session')),
    }
    try {
      await passphrases.check(ctx, owner, form.text('passphrase'))
    } catch (error) {
      const problem = problemOf(error)
      if (problem === undefined || prefersJson(ctx)) throw error
      return showForm(ctx, asked, { error, problem })
    }
    // Before the session: what fails here leaves none behind.
    const to = target ?? (await redirects.home(instance))
    const session = await ensureSession(ctx, asked)
    answerRedirect(ctx, await opener.arrive(ctx, to, session))
  }

  /** A live session is kept, unless it is short and more is asked for (login.md 5.1, D59). */
  async function ensureSession(ctx: RouteContext, asked: Asked): Promise<Session> {
    const isAuthorize = asked.target?.isAuthorize === true
    const kind: SessionKind = isAuthorize ? 'short' : asked.isLongRun ? 'long' : 'normal'
    const live = await carrier.current(ctx)
    if (live !== undefined && !isUpgrade(live.kind, kind)) return live
    await hooks.onLogin?.({
      instance: ctx.state.instance,
      method: 'password',
      address: options.clientAddress(ctx),
      userAgent: ctx.get('User-Agent'),
    })
    return opener.open(ctx, asked.owner, {
      kind,
      method: 'password',
      clientRegistration: isAuthorize,
    })
  }

  async function showForm(
    ctx: RouteContext,
    asked: Asked,
    failure?: { readonly error: unknown; readonly problem: FormProblem },
  ): Promise<void> {
    const { instance, query } = ctx.state
    const { owner, target, emailVerifiedCode, isLongRun } = asked
    if (failure !== undefined && isHttpError(failure.error)) {
      ctx.status = failure.error.status
      ctx.set({ ...failure.error.headers })
    }
    const isReset = query.text('msg') === 'passphrase-reset-requested'
    await pages.loginPage(ctx, {
      csrfToken: await csrf.token(ctx),
      formActionSources: formActionSources(instance, target ?? (await redirects.home(instance))),
      salt: owner.salt,
      iterations: owner.iterations,
      redirect: target?.href ?? '',
      offersLongRun: target?.isAuthorize !== true,
      longRun: isLongRun,
      emailVerifiedCode,
      offersMagicLink: owner.magicLink === true && emailVerifiedCode === '',
      ...(isReset ? { message: 'passphrase-reset-requested' as const } : {}),
      ...(failure === undefined ? {} : { problem: failure.problem }),
    })
  }

  async function onboardedOwner(ctx: RouteContext): Promise<Owner | undefined> {
    const owner = (await owners.get(ctx.state.instance.id))?.owner
    return owner?.onboardedAt === undefined ? undefined : owner
  }

  async function parseTarget(ctx: RouteContext, raw: string): Promise<RedirectTarget | undefined> {
    return raw === '' ? undefined : redirects.parse(ctx.state.instance, raw)
  }

  return { show, submit }
}

function validOrEmpty(code: string): string {
  return EMAIL_VERIFIED_CODE.test(code) ? code : ''
}

function problemOf(error: unknown): FormProblem | undefined {
  if (!(error instanceof AuthUiError)) return undefined
  const { code } = error
  if (code !== 'invalid_passphrase' && code !== 'rate_limited' && code !== 'busy') return undefined
  const wait = retryAfterS(error)
  return wait === undefined ? { code } : { code, retryAfterS: wait }
}
