import { isHttpError, prefersJson, type RouteContext } from '@svc/platform'
import type { Csrf } from '../web/csrf.ts'
import { AuthUiError } from '../errors.ts'
import { allowsFactorChanges } from './fresh-confirmation.ts'
import type { SecondFactor } from '../factors/bound.ts'
import type { TrustedDevices } from '../factors/bound.ts'
import type { AnswerActivation } from '../login/activation.ts'
import { formActionSources } from '../web/redirect-target.ts'
import type { PassphraseCheck } from '../login/passphrase-check.ts'
import type { RedirectTarget } from '../web/redirect-target.ts'
import type { SecondStep } from '../login/second-step.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { FormProblem } from '../pages/page-models.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import { formProblem } from '../pages/form-problem.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { ConfirmFlow } from './confirm-flow.ts'
import type { ConfirmTargets } from './confirm-targets.ts'
import type { Confirmations } from './confirmations.ts'

/** What {@link createConfirm} needs. */
export interface ConfirmOptions {
  readonly owners: OwnerStore
  readonly confirmTargets: ConfirmTargets
  readonly confirmations: Confirmations
  readonly confirmFlow: ConfirmFlow
  readonly passphrases: PassphraseCheck
  readonly secondFactor: SecondFactor
  readonly secondStep: SecondStep
  readonly trustedDevices: TrustedDevices
  readonly limits: RateLimits
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly clientAddress: (ctx: RouteContext) => string
  readonly answerActivation: AnswerActivation
  readonly settingsSlug: string
}

/** The owner proves once more to be the owner. No session is needed, none is opened. */
export interface ConfirmHandlers {
  /** `GET /auth/confirm` */
  show(ctx: RouteContext): Promise<void>
  /** `POST /auth/confirm` */
  submit(ctx: RouteContext): Promise<void>
  /** `GET /auth/confirm/:code` */
  check(ctx: RouteContext): Promise<void>
}

interface Asked {
  readonly owner: Owner
  readonly state: string
  readonly target: RedirectTarget
  /** None was asked for: home. */
  readonly isDefault: boolean
}

const STATE = /^[\u0020-\u007e]{1,256}$/
const PROBLEMS = ['busy', 'invalid_passphrase', 'mail_failed', 'rate_limited'] as const

/** Order of a POST: origin, owner, state and redirect, limits, passphrase, second factor. @see login.md 6 */
export function createConfirm(options: ConfirmOptions): ConfirmHandlers {
  const { owners, confirmTargets, confirmations, confirmFlow, passphrases, limits } = options
  const { secondFactor, secondStep, trustedDevices, pages, csrf, settingsSlug } = options

  async function show(ctx: RouteContext): Promise<void> {
    const { query } = ctx.state
    const owner = await onboardedOwner(ctx)
    if (owner === undefined) return options.answerActivation(ctx)
    await showForm(ctx, await readAsked(ctx, owner, query.text('state'), query.text('redirect')))
  }

  async function submit(ctx: RouteContext): Promise<void> {
    const { form, query } = ctx.state
    const owner = await onboardedOwner(ctx)
    if (owner === undefined) return options.answerActivation(ctx)
    const redirect = form.text('redirect') || query.text('redirect')
    const asked = await readAsked(ctx, owner, form.text('state'), redirect)
    try {
      await passphrases.check(ctx, owner, form.text('passphrase'))
      const { state, isDefault, target } = asked
      const confirmed = { state, redirect: isDefault ? undefined : target.href }
      if (await skipsSecondStep(ctx, asked)) return await confirmFlow.finish(ctx, owner, confirmed)
      const challenge = await secondFactor.begin(ctx, owner, {
        purpose: 'confirm',
        state,
        ...(isDefault ? {} : { redirect: target.href }),
      })
      await secondStep.ask(ctx, owner, challenge)
    } catch (error) {
      const problem = formProblem(error, PROBLEMS)
      if (problem === undefined || prefersJson(ctx)) throw error
      await showForm(ctx, asked, { error, problem })
    }
  }

  /** OPEN(0098): security.md 37 is stricter than login.md 6.2 - what allows to change a factor takes the factor. */
  async function skipsSecondStep(ctx: RouteContext, asked: Asked): Promise<boolean> {
    const { owner, target } = asked
    if (!secondFactor.isOn(owner)) return true
    const leadsTo = {
      ...(target.slug === undefined ? {} : { slug: target.slug }),
      ...(target.outerHost === undefined ? {} : { host: target.outerHost }),
    }
    if (allowsFactorChanges(leadsTo, settingsSlug)) return false
    const token = ctx.state.form.text('trusted-device-token')
    return (await trustedDevices.find(ctx.state.instance, owner, token)) !== undefined
  }

  async function readAsked(
    ctx: RouteContext,
    owner: Owner,
    state: string,
    redirect: string,
  ): Promise<Asked> {
    if (!STATE.test(state)) {
      throw new AuthUiError('invalid_parameter', { description: 'state is missing or malformed' })
    }
    const target = await confirmTargets.parse(ctx.state.instance, redirect)
    return { owner, state, target, isDefault: redirect === '' }
  }

  async function showForm(
    ctx: RouteContext,
    asked: Asked,
    failure?: { readonly error: unknown; readonly problem: FormProblem },
  ): Promise<void> {
    const { instance } = ctx.state
    const { owner, state, target, isDefault } = asked
    if (failure !== undefined && isHttpError(failure.error)) {
      ctx.status = failure.error.status
      ctx.set({ ...failure.error.headers })
    }
    const askedBy = isDefault ? undefined : await confirmTargets.askedBy(instance, target)
    await pages.confirmPage(ctx, {
      csrfToken: await csrf.token(ctx),
      formActionSources: formActionSources(instance, target),
      salt: owner.salt,
      iterations: owner.iterations,
      state,
      redirect: isDefault ? '' : target.href,
      cancelHref: target.href,
      ...(askedBy === undefined ? {} : { askedBy }),
      ...(failure === undefined ? {} : { problem: failure.problem }),
    })
  }

  async function check(ctx: RouteContext): Promise<void> {
    const { instance, query } = ctx.state
    const owner = await onboardedOwner(ctx)
    if (owner === undefined) throw new AuthUiError('onboarding_needed')
    const address = options.clientAddress(ctx)
    // Reserved before the look-up, so that parallel guesses cannot pass together.
    await limits.hit(instance, 'confirm-code', address)
    const code = String((ctx as { params?: { code?: unknown } }).params?.code)
    const state = query.get('state')
    const confirmation = await confirmations.find(instance, owner, code)
    if (confirmation === undefined || (state !== undefined && state !== confirmation.state)) {
      throw new AuthUiError('invalid_code')
    }
    await limits.release(instance, 'confirm-code', address)
    ctx.status = 204
  }

  async function onboardedOwner(ctx: RouteContext): Promise<Owner | undefined> {
    const owner = (await owners.get(ctx.state.instance.id))?.owner
    return owner?.onboardedAt === undefined ? undefined : owner
  }

  return { show, submit, check }
}
