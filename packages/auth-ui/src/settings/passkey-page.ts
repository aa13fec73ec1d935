import {
  isHttpError,
  type Instance,
  prefersJson,
  randomHex,
  type RouteContext,
} from '@svc/platform'
import type { Csrf } from '../web/csrf.ts'
import { AuthUiError } from '../errors.ts'
import { type Arrival } from '../login/arrival.ts'
import { formActionSources } from '../web/redirect-target.ts'
import { answerRedirect, redirect } from '../web/answer.ts'
import type { Redirects, RedirectTarget } from '../web/redirect-target.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { FormProblem } from '../pages/page-models.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import { readUserAgent } from '../web/request-facts.ts'
import type { Session } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import { MAX_PASSKEYS, type PasskeyEnrolment } from '../factors/create-passkeys.ts'
import { canAddPasskey, type FactorChanges } from '../factors/factor-changes.ts'
import type { Factors } from '../owner/factors.ts'
import type { FreshConfirmation, PresentedConfirmation } from '../confirm/fresh-confirmation.ts'
import { parseRegistration } from '../factors/webauthn-json.ts'

/** What {@link createPasskeyPage} needs. */
export interface PasskeyPageOptions {
  readonly owners: OwnerStore
  readonly carrier: SessionCarrier
  readonly redirects: Redirects
  readonly arrival: Arrival
  readonly passkeys: PasskeyEnrolment
  readonly factorChanges: FactorChanges
  readonly freshConfirmation: FreshConfirmation
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly settingsSlug: string
}

/** The page on which a passkey is made: on the instance's own host, where it will be used. */
export interface PasskeyPage {
  /** `GET /auth/passkey` */
  show(ctx: RouteContext): Promise<void>
  /** `POST /auth/passkey` */
  submit(ctx: RouteContext): Promise<void>
}

/** Who may go on: a logged-in owner who confirmed a moment ago. */
interface Admitted {
  readonly owner: Owner
  readonly session: Session
  readonly presented: PresentedConfirmation
}

/** What the form brings. */
interface Credential {
  /** `RegistrationResponseJSON`. */
  readonly json: string
  readonly label: string
}

const MAX_LABEL_CHARS = 100
const PATH = '/auth/passkey'

/** Whoever may not go on is led to the step that is missing, and from there back. */
export function createPasskeyPage(options: PasskeyPageOptions): PasskeyPage {
  const { owners, carrier, redirects, arrival, passkeys, pages, csrf } = options

  /** Undefined when the answer is a redirect already. */
  async function admit(
    ctx: RouteContext,
    presented: PresentedConfirmation,
  ): Promise<Admitted | undefined> {
    const { instance } = ctx.state
    const session = await carrier.current(ctx)
    const owner = (await owners.get(instance.id))?.owner
    const back = encodeURIComponent(`${instance.origin}${PATH}`)
    if (session === undefined || owner === undefined) {
      redirect(ctx, `${instance.origin}/auth/login?redirect=${back}`)
      return undefined
    }
    if (!(await options.freshConfirmation.isGood(instance, owner, presented))) {
      redirect(ctx, `${instance.origin}/auth/confirm?state=${randomHex(16)}&redirect=${back}`)
      return undefined
    }
    return { owner, session, presented }
  }

  async function show(ctx: RouteContext): Promise<void> {
    const { query } = ctx.state
    const presented = { code: query.text('code'), state: query.text('state') }
    const admitted = await admit(ctx, presented)
    if (admitted === undefined) return
    demandRoom(admitted.owner.factors)
    ctx.status = 200
    // SPEC: login.md 4.1 - HEAD makes no challenge.
    if (ctx.method === 'HEAD') return
    await showForm(ctx, admitted, labelOf(readUserAgent(ctx.get('User-Agent'))))
  }

  async function submit(ctx: RouteContext): Promise<void> {
    const { instance, form } = ctx.state
    const presented = {
      code: form.text('confirmation_code'),
      state: form.text('confirmation_state'),
    }
    const admitted = await admit(ctx, presented)
    if (admitted === undefined) return
    const label = cleanLabel(form.text('label'))
    const credential = { json: form.text('credential'), label }
    try {
      await addOnce(ctx, admitted, credential)
    } catch (error) {
      const isRefused = AuthUiError.is(error, 'two_factor_invalid')
      if (!isRefused || prefersJson(ctx)) throw error
      ctx.status = error.status
      return showForm(ctx, admitted, label, { code: 'passkey_failed' })
    }
    const target = await settingsTarget(instance)
    answerRedirect(ctx, await arrival.locate(ctx, target, admitted.session, 'keep'))
  }

  /** The same form twice, such as by a double click, is one passkey and no error. */
  async function addOnce(
    ctx: RouteContext,
    admitted: Admitted,
    credential: Credential,
  ): Promise<void> {
    try {
      await add(ctx, admitted, credential)
    } catch (error) {
      const owner = (await owners.get(ctx.state.instance.id))?.owner
      const id = parseRegistration(credential.json)?.answer.id
      if (!owner?.factors?.passkeys?.some((known) => known.id === id)) throw error
    }
  }

  async function add(
    ctx: RouteContext,
    { owner, presented }: Admitted,
    credential: Credential,
  ): Promise<void> {
    demandRoom(owner.factors)
    const { instance } = ctx.state
    const proven = await passkeys.verifyRegistration(instance, owner, presented.code, credential)
    if (proven === undefined) throw refused()
    const { passkey, spent } = proven
    const outcome = await options.factorChanges.apply(ctx, owner, {
      factor: 'passkey',
      what: 'factor_added',
      next: (factors) => {
        demandRoom(factors)
        const { passkeys: known = [] } = factors
        if (known.some(({ id }) => id === passkey.id)) throw refused()
        return { ...factors, passkeys: [...known, passkey] }
      },
      also: [spent],
    })
    if (outcome !== 'done') throw refused()
  }

  async function showForm(
    ctx: RouteContext,
    { owner, presented }: Admitted,
    label: string,
    problem?: FormProblem,
  ): Promise<void> {
    const { instance } = ctx.state
    const target = await settingsTarget(instance)
    await pages.passkeyPage(ctx, {
      csrfToken: await csrf.token(ctx),
      formActionSources: formActionSources(instance, target),
      options: await passkeys.creationOptions(instance, owner, presented.code),
      confirmationCode: presented.code,
      confirmationState: presented.state,
      label,
      backHref: target.href,
      ...(problem === undefined ? {} : { problem }),
    })
  }

  /** Where the owner came from; home on an instance without the settings app. */
  async function settingsTarget(instance: Instance): Promise<RedirectTarget> {
    try {
      return await redirects.parseSlugForm(instance, `${options.settingsSlug}/#/factors`)
    } catch (error) {
      if (isHttpError(error) && error.code === 'bad_redirect') return redirects.home(instance)
      throw error
    }
  }

  return { show, submit }
}

/** @throws AuthUiError `factor_needed` (D63), `conflict` */
function demandRoom(factors: Factors | undefined): void {
  if (!canAddPasskey(factors)) {
    const description = 'a passkey needs another factor or recovery codes beside it'
    throw new AuthUiError('factor_needed', { description })
  }
  if ((factors?.passkeys?.length ?? 0) >= MAX_PASSKEYS) {
    throw new AuthUiError('conflict', { description: `there are ${MAX_PASSKEYS} passkeys already` })
  }
}

function labelOf({ browser, os }: { readonly browser: string; readonly os: string }): string {
  return [browser, os].filter((part) => part !== '').join(', ')
}

/** The owner's words, as one line. */
function cleanLabel(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  return [...line].slice(0, MAX_LABEL_CHARS).join('')
}

function refused(): AuthUiError {
  return new AuthUiError('two_factor_invalid', { status: 422 })
}
