import { isHttpError, prefersJson, type RouteContext } from '@svc/platform'
import type { Csrf } from '../web/csrf.ts'
import { AuthUiError } from '../errors.ts'
import type { SecondFactor } from '../factors/bound.ts'
import type { TrustedDevices } from '../factors/bound.ts'
import type { Owner } from '../owner/owner.ts'
import { onboardedOwner } from '../owner/onboarded-owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { FormProblem, LoginPageModel } from '../pages/page-models.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import { formProblem } from '../pages/form-problem.ts'
import type { RenewedNotice } from './renewed-notice.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { EmailVerifiedCodes } from '../session/open-codes.ts'
import type { AnswerActivation } from './activation.ts'
import { type Arrival } from './arrival.ts'
import { formActionSources } from '../web/redirect-target.ts'
import { answerRedirect, redirect } from '../web/answer.ts'
import type { Admit, Enter } from './enter.ts'
import type { PassphraseCheck } from './passphrase-check.ts'
import { isTrue } from '../web/posted-flag.ts'
import type { Redirects, RedirectTarget } from '../web/redirect-target.ts'
import type { SecondStep } from './second-step.ts'

/** What {@link createLogin} needs. */
export interface LoginOptions {
  readonly owners: OwnerStore
  readonly redirects: Redirects
  readonly carrier: SessionCarrier
  readonly enter: Enter
  readonly admit: Admit
  readonly secondFactor: SecondFactor
  readonly secondStep: SecondStep
  readonly trustedDevices: TrustedDevices
  readonly emailVerifiedCodes: EmailVerifiedCodes
  readonly passphrases: PassphraseCheck
  readonly arrival: Arrival
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly answerActivation: AnswerActivation
  readonly renewedNotice: RenewedNotice
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

/** What a log-in form says beside its question. */
interface Said {
  readonly message?: LoginPageModel['message']
  readonly failure?: { readonly error: unknown; readonly problem: FormProblem }
}

/** Whether a log-in goes on without its second step; `admitted`: the host was asked already. */
type Skipped = 'no' | 'yes' | 'admitted'

const PROBLEMS = ['busy', 'invalid_passphrase', 'mail_failed', 'rate_limited'] as const
const EMAIL_VERIFIED_CODE = /^[A-Za-z0-9]{32}$/

/** Order of a POST: origin, owner, redirect, limits, passphrase, second factor, session. @see login.md 5.1 */
export function createLogin(options: LoginOptions): LoginHandlers {
  const { owners, redirects, carrier, passphrases, arrival, pages, csrf } = options
  const { secondFactor, secondStep, trustedDevices, emailVerifiedCodes, enter } = options

  async function show(ctx: RouteContext): Promise<void> {
    const { instance, query } = ctx.state
    const owner = await onboardedOwner(owners, ctx)
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
    const isRenewed = await options.renewedNotice.take(ctx)
    const asked = { owner, target, emailVerifiedCode, isLongRun: false }
    const message = isRenewed ? 'passphrase-renewed' : requested(query.text('msg'))
    await showForm(ctx, asked, message === undefined ? {} : { message })
  }

  async function submit(ctx: RouteContext): Promise<void> {
    const { form, query } = ctx.state
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) return options.answerActivation(ctx)
    const target = await parseTarget(ctx, form.text('redirect') || query.text('redirect'))
    const asked: Asked = {
      owner,
      target,
      emailVerifiedCode: validOrEmpty(form.text('email_verified_code')),
      isLongRun: isTrue(form.text('long-run-session')),
    }
    let skipped: Skipped
    try {
      await passphrases.check(ctx, owner, form.text('passphrase'))
      skipped = await skipSecondStep(ctx, asked)
      if (skipped === 'no') return await askSecondStep(ctx, asked)
    } catch (error) {
      const problem = formProblem(error, PROBLEMS)
      if (problem === undefined || prefersJson(ctx)) throw error
      return showForm(ctx, asked, { failure: { error, problem } })
    }
    const login = { ...loginOf(asked), isAdmitted: skipped === 'admitted' }
    answerRedirect(ctx, await enter(ctx, owner, login))
  }

  /** What has no second step, or is allowed to do without. What is no good for that is ignored. */
  async function skipSecondStep(ctx: RouteContext, asked: Asked): Promise<Skipped> {
    const { instance, form } = ctx.state
    const { owner, emailVerifiedCode } = asked
    if (!secondFactor.isOn(owner)) return 'yes'
    const token = form.text('trusted-device-token')
    if ((await trustedDevices.find(instance, owner, token)) !== undefined) return 'yes'
    if (!(await emailVerifiedCodes.isGood(instance, owner, emailVerifiedCode))) return 'no'
    await options.admit(ctx, loginOf(asked))
    return (await emailVerifiedCodes.redeem(instance, owner, emailVerifiedCode)) ? 'admitted' : 'no'
  }

  async function askSecondStep(ctx: RouteContext, asked: Asked): Promise<void> {
    const { owner, target, isLongRun } = asked
    const challenge = await secondFactor.begin(ctx, owner, {
      purpose: 'login',
      isLongRun,
      ...(target === undefined ? {} : { redirect: target.href }),
    })
    await secondStep.ask(ctx, owner, challenge)
  }

  async function showForm(
    ctx: RouteContext,
    asked: Asked,
    { message, failure }: Said,
  ): Promise<void> {
    const { instance } = ctx.state
    const { owner, target, emailVerifiedCode, isLongRun } = asked
    if (failure !== undefined && isHttpError(failure.error)) {
      ctx.status = failure.error.status
      ctx.set({ ...failure.error.headers })
    }
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
      ...(message === undefined ? {} : { message }),
      ...(failure === undefined ? {} : { problem: failure.problem }),
    })
  }

  async function parseTarget(ctx: RouteContext, raw: string): Promise<RedirectTarget | undefined> {
    return raw === '' ? undefined : redirects.parse(ctx.state.instance, raw)
  }

  return { show, submit }
}

function loginOf({ target, isLongRun }: Asked) {
  return { target, isLongRun, method: 'password' } as const
}

/** A link may only make the page say what is true of every visit: that a mail comes if there is an address. */
function requested(msg: string): LoginPageModel['message'] {
  return msg === 'passphrase-reset-requested' ? msg : undefined
}

function validOrEmpty(code: string): string {
  return EMAIL_VERIFIED_CODE.test(code) ? code : ''
}
