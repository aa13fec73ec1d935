import type { MoveRequest } from '@svc/oauth-core'
import type { RouteContext } from '@svc/platform'
import type { Csrf } from '../web/csrf.ts'
import { AuthUiError } from '../errors.ts'
import type { SecondFactor } from '../factors/bound.ts'
import type { AnswerActivation } from '../login/activation.ts'
import { answerJson } from '../web/answer.ts'
import type { PassphraseCheck } from '../login/passphrase-check.ts'
import { onboardedOwner } from '../owner/onboarded-owner.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import type { MoveFlow } from './move-flow.ts'

/** What {@link createMove} needs. */
export interface MoveOptions {
  readonly owners: OwnerStore
  readonly moveFlow: MoveFlow
  readonly passphrases: PassphraseCheck
  readonly secondFactor: SecondFactor
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly answerActivation: AnswerActivation
}

/** Moving to another server: the owner proves to be the owner, whoever is logged in. No session is opened. */
export interface MoveHandlers {
  /** `GET /auth/authorize/move` */
  show(ctx: RouteContext): Promise<void>
  /** `POST /auth/authorize/move` */
  submit(ctx: RouteContext): Promise<void>
}

/** Order of a POST: CSRF, client and address, passphrase, second factor. @see oauth.md 5.10 */
export function createMove(options: MoveOptions): MoveHandlers {
  const { owners, moveFlow, passphrases, secondFactor, pages, csrf } = options

  async function show(ctx: RouteContext): Promise<void> {
    const { query } = ctx.state
    const { client, redirectUri, state } = await moveFlow.check(ctx, query)
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) return options.answerActivation(ctx)
    await pages.movePage(ctx, {
      csrfToken: await csrf.token(ctx),
      formActionSources: [],
      salt: owner.salt,
      iterations: owner.iterations,
      client,
      redirectUri,
      state,
    })
  }

  async function submit(ctx: RouteContext): Promise<void> {
    const { form } = ctx.state
    const request = await moveFlow.check(ctx, form)
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) throw new AuthUiError('onboarding_needed')
    await passphrases.check(ctx, owner, form.text('passphrase'))
    if (await passSecondStep(ctx, owner, request)) {
      answerJson(ctx, { redirect: await moveFlow.finish(ctx, owner, request) })
    }
  }

  /**
   * False when it answered: the second step is open. SPEC: decision D34 - no browser is trusted enough to skip it.
   */
  async function passSecondStep(
    ctx: RouteContext,
    owner: Owner,
    request: MoveRequest,
  ): Promise<boolean> {
    if (!secondFactor.isOn(owner)) return true
    const { form } = ctx.state
    const token = form.text('two-factor-token')
    const passcode = form.text('two-factor-passcode')
    if (token === '' || passcode === '') {
      await askSecondStep(ctx, owner, request)
      return false
    }
    const challenge = await secondFactor.find(ctx, owner, token)
    // SPEC: security.md 30 - what differs from step 1 is refused, and nothing is counted.
    if (challenge?.purpose === 'move' && !isFor(challenge, request)) {
      const description = 'the second step is for another move'
      throw new AuthUiError('invalid_parameter', { description })
    }
    await secondFactor.complete(ctx, owner, 'move', { token, passcode })
    return true
  }

  async function askSecondStep(
    ctx: RouteContext,
    owner: Owner,
    { client, redirectUri, state }: MoveRequest,
  ): Promise<void> {
    const { token } = await secondFactor.begin(ctx, owner, {
      purpose: 'move',
      clientId: client.id,
      redirect: redirectUri,
      state,
    })
    const query = new URLSearchParams({
      two_factor_token: token,
      state,
      client_id: client.id,
      redirect: redirectUri,
      trusted_device_checkbox: 'false',
    })
    answerJson(ctx, { redirect: `${ctx.state.instance.origin}/auth/twofactor?${query.toString()}` })
  }

  return { show, submit }
}

function isFor(
  challenge: { readonly clientId?: string; readonly redirect?: string; readonly state?: string },
  { client, redirectUri, state }: MoveRequest,
): boolean {
  const { clientId, redirect } = challenge
  return clientId === client.id && redirect === redirectUri && challenge.state === state
}
