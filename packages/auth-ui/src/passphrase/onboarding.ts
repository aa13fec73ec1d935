import { isHttpError, type RouteContext } from '@svc/platform'
import type { Csrf } from '../web/csrf.ts'
import { AuthUiError } from '../errors.ts'
import type { AnswerActivation } from '../login/activation.ts'
import { type Arrival } from '../login/arrival.ts'
import { formActionSources } from '../web/redirect-target.ts'
import { answerJson, redirect } from '../web/answer.ts'
import type { SessionOpener } from '../login/open-session.ts'
import type { Redirects, RedirectTarget } from '../web/redirect-target.ts'
import { acceptsRegisterToken, type Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { FormProblem } from '../pages/page-models.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import { DEFAULT_ITERATIONS } from './derive.ts'
import { passphraseProblem } from './form-problem.ts'
import { readNewPassphrase } from './new-passphrase.ts'
import { invalidRegisterToken, type Onboard } from './onboard.ts'
import type { PasswordHasher } from './password-hash.ts'
import { createPostedReader, type PostedPassphrase } from './posted-passphrase.ts'

/** What {@link createOnboarding} needs. */
export interface OnboardingOptions {
  readonly owners: OwnerStore
  readonly onboard: Onboard
  readonly hasher: PasswordHasher
  readonly allowRaw: boolean
  readonly limits: RateLimits
  readonly clientAddress: (ctx: RouteContext) => string
  readonly redirects: Redirects
  readonly arrival: Arrival
  readonly opener: SessionOpener
  readonly carrier: SessionCarrier
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly answerActivation: AnswerActivation
}

/** The endpoints of a new owner. */
export interface OnboardingHandlers {
  /** `GET /auth/passphrase` */
  show(ctx: RouteContext): Promise<void>
  /** `POST /settings/passphrase` */
  submit(ctx: RouteContext): Promise<void>
  /** The owner, when the token can onboard; wrong ones are counted. @throws AuthUiError `rate_limited` */
  checkToken(ctx: RouteContext, token: string): Promise<Owner | undefined>
}

/** @see login.md 5.5 */
export function createOnboarding(options: OnboardingOptions): OnboardingHandlers {
  const { owners, onboard, limits, redirects, arrival, opener, carrier, pages, csrf } = options
  const readPosted = createPostedReader()

  async function checkToken(ctx: RouteContext, token: string): Promise<Owner | undefined> {
    const { instance } = ctx.state
    const address = options.clientAddress(ctx)
    await limits.hit(instance, 'register-guess', address)
    const owner = (await owners.get(instance.id))?.owner
    if (owner === undefined || !acceptsRegisterToken(owner, token)) return undefined
    await limits.release(instance, 'register-guess', address)
    return owner
  }

  async function isOnboarded(ctx: RouteContext): Promise<boolean> {
    return (await owners.get(ctx.state.instance.id))?.owner.onboardedAt !== undefined
  }

  /** Where the owner goes afterwards; anything but a known `slug[/path]` is home. */
  async function targetOf(ctx: RouteContext, redirection: string): Promise<RedirectTarget> {
    const { instance } = ctx.state
    if (redirection === '') return redirects.home(instance)
    return redirects.parseSlugForm(instance, redirection).catch((error: unknown) => {
      if (AuthUiError.is(error)) return redirects.home(instance)
      throw error
    })
  }

  async function show(ctx: RouteContext): Promise<void> {
    const { instance, query } = ctx.state
    if (await isOnboarded(ctx)) {
      const session = await carrier.current(ctx)
      const home = await redirects.home(instance)
      return redirect(ctx, await arrival.locate(ctx, home, session, 'empty'))
    }
    const registerToken = query.text('registerToken')
    if (registerToken === '') return options.answerActivation(ctx)
    const owner = await checkToken(ctx, registerToken)
    if (owner === undefined) return options.answerActivation(ctx, { hasBadToken: true })
    const redirection = query.text('redirection')
    await showForm(ctx, owner, { registerToken, redirection, hint: '' })
  }

  async function submit(ctx: RouteContext): Promise<void> {
    const { instance } = ctx.state
    const posted = readPosted(ctx)
    if (await isOnboarded(ctx)) throw new AuthUiError('already_onboarded')
    const known = await checkToken(ctx, posted.registerToken)
    if (known === undefined) throw invalidRegisterToken()
    let owner: Owner
    try {
      const { hasher, allowRaw } = options
      const passphrase = await readNewPassphrase(posted.fields, known.salt, { hasher, allowRaw })
      owner = await onboard(instance, posted.registerToken, passphrase)
    } catch (error) {
      const problem = passphraseProblem(error)
      if (problem === undefined || !wantsHtml(ctx)) throw error
      return showRefused(ctx, known, posted, { error, problem })
    }
    const target = await targetOf(ctx, posted.redirection)
    const session = await opener.open(ctx, owner, {
      kind: 'long',
      method: 'registration',
      clientRegistration: false,
    })
    const location = await opener.arrive(ctx, target, session)
    if (wantsHtml(ctx)) redirect(ctx, location)
    else answerJson(ctx, { redirect: location })
  }

  async function showRefused(
    ctx: RouteContext,
    owner: Owner,
    posted: PostedPassphrase,
    { error, problem }: { readonly error: unknown; readonly problem: FormProblem },
  ): Promise<void> {
    if (isHttpError(error)) {
      ctx.status = error.status
      ctx.set({ ...error.headers })
    }
    const { registerToken, redirection, fields } = posted
    // A hint that is the passphrase does not go into a page.
    const hint = problem.code === 'invalid_hint' ? '' : fields.hint
    await showForm(ctx, owner, { registerToken, redirection, hint }, problem)
  }

  async function showForm(
    ctx: RouteContext,
    owner: Owner,
    kept: { registerToken: string; redirection: string; hint: string },
    problem?: FormProblem,
  ): Promise<void> {
    await pages.choosePassphrasePage(ctx, {
      ...kept,
      csrfToken: await csrf.token(ctx),
      formActionSources: formActionSources(
        ctx.state.instance,
        await targetOf(ctx, kept.redirection),
      ),
      salt: owner.salt,
      iterations: DEFAULT_ITERATIONS,
      ...(problem === undefined ? {} : { problem }),
    })
  }

  return { show, submit, checkToken }
}

/** SPEC: login.md 5.5 - here a page is what `Accept` names, not what it prefers. */
function wantsHtml(ctx: RouteContext): boolean {
  return ctx.get('Accept').includes('text/html')
}
