import {
  formActionSources,
  homeTarget,
  parseSlugTarget,
  type RedirectTarget,
} from '../web/redirect-target.ts'
import {
  bodySchema,
  defineRoute,
  type Instance,
  isHttpError,
  prefersJson,
  provedInHandler,
  randomHex,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { isFreshlyConfirmed, type PresentedConfirmation } from '../confirm/confirmation.ts'
import { AuthUiError } from '../errors.ts'
import { changeFactors } from '../factors/factor-changes.ts'
import {
  acceptedPasskeys,
  MAX_PASSKEYS,
  type NewCredential,
  passkeyCreationOptions,
  verifyRegistration,
} from '../factors/passkeys.ts'
import { parseRegistration } from '../factors/webauthn-json.ts'
import { answerJson, answerRedirect, redirect } from '../web/answer.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import { isJustLoggedIn, offerProof, offerTarget } from './passkey-offer.ts'
import { type Factors, isPasskeyAsked } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import type { FormProblem } from '../pages/page-models.ts'
import type { AuthUiServices } from '../services.ts'
import type { Session } from '../session/session.ts'
import { cleanLabel, labelOf } from './passkey-label.ts'
import { readUserAgent } from '../web/request-facts.ts'
import { isTrue } from '../web/posted.ts'
import { visitorOf } from '../web/visitor.ts'
import { locateTarget } from '../login/complete-login.ts'

/** Who may go on: a logged-in owner who confirmed a moment ago. */
interface Authorized {
  readonly owner: Owner
  readonly session: Session
  readonly presented: PresentedConfirmation
}

const PATH = '/auth/passkey'
const BY_PAGE = provedInHandler(['session cookie'], 'passkeys/passkey-page.ts')

/** Fields of `POST /auth/passkey`; what is not there is empty, and leads to the step that is missing. */
const PASSKEY_SCHEMA = bodySchema({
  type: 'object',
  properties: {
    confirmation_code: { type: 'string', description: 'of /auth/confirm, at most 5 minutes old' },
    confirmation_state: { type: 'string', description: 'the state that was confirmed' },
    credential: { type: 'string', description: 'RegistrationResponseJSON' },
    csrf_token: { type: 'string', description: 'of the page' },
    label: { type: 'string', description: "the owner's name for the passkey" },
    offer: {
      type: 'string',
      description: '1: made where it was offered, after a log-in by passphrase',
    },
    redirect: { type: 'string', description: 'where the offer leads on to' },
    second_step_only: { type: 'string', description: '1: it never logs in alone' },
  },
})

/** The page on which a passkey is made: on the instance's own host, where it will be used. */
export const passkeyRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: PATH,
    handler: showPasskeyPage,
    auth: BY_PAGE,
    statuses: [200, 302, 400, 409],
    family: 'html',
    summary: 'Shows the page on which the browser makes a passkey.',
    source: 'decision D63',
  }),
  defineRoute({
    method: 'POST',
    path: PATH,
    handler: submitPasskey,
    auth: BY_PAGE,
    body: { types: ['form'], schema: PASSKEY_SCHEMA },
    statuses: [200, 302, 400, 403, 409, 413, 415, 422],
    family: 'html',
    csrf: 'token',
    activity: ['passkey.added', 'factor.added'],
    summary: 'Adds the passkey that the browser made.',
    source: 'decision D63',
  }),
]

async function showPasskeyPage(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { query } = ctx.state
  const presented = { code: query.text('code'), state: query.text('state') }
  const authorized = await authorize(ctx, services, presented)
  if (authorized === undefined) return
  requireRoom(authorized.owner.factors)
  ctx.status = 200
  // SPEC: login.md 4.1 - HEAD makes no challenge.
  if (ctx.method === 'HEAD') return
  const label = labelOf(readUserAgent(ctx.get('User-Agent')))
  await showForm(ctx, services, authorized, label)
}

async function submitPasskey(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, form } = ctx.state
  if (isTrue(form.text('offer'))) return submitOffered(ctx, services)
  const presented = {
    code: form.text('confirmation_code'),
    state: form.text('confirmation_state'),
  }
  const authorized = await authorize(ctx, services, presented)
  if (authorized === undefined) return
  const label = cleanLabel(form.text('label'))
  const credential = {
    json: form.text('credential'),
    label,
    isSecondStepOnly: isTrue(form.text('second_step_only')),
  }
  try {
    await addOnce(ctx, services, authorized, credential)
  } catch (error) {
    const isRefused = AuthUiError.is(error, 'passkey_invalid')
    if (!isRefused || prefersJson(ctx)) throw error
    ctx.status = error.status
    return showForm(ctx, services, authorized, label, { code: 'passkey_failed' })
  }
  const target = await settingsTarget(services, instance)
  answerRedirect(ctx, await locateTarget(services, ctx, target, authorized.session, 'keep'))
}

/** Made on the page of the offer, whose login stands for the confirmation. */
async function submitOffered(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, form } = ctx.state
  const target = await offerTarget(services, instance, form.text('redirect'))
  const session = await services.sessionMiddleware.current(ctx)
  const owner = await onboardedOwner(services, instance)
  if (owner === undefined || !isJustLoggedIn(services, session)) {
    // A script would take the way on for a success.
    if (prefersJson(ctx)) throw new AuthUiError('confirmation_required')
    return redirect(ctx, await locateTarget(services, ctx, target, session, 'keep'))
  }
  const presented = { code: offerProof(session), state: '' }
  const credential = { json: form.text('credential'), label: cleanLabel(form.text('label')) }
  await addOnce(ctx, services, { owner, session, presented }, credential)
  const location = await locateTarget(services, ctx, target, session, 'keep')
  if (!prefersJson(ctx)) return redirect(ctx, location)
  const latest = (await onboardedOwner(services, instance)) ?? owner
  answerJson(ctx, { redirect: location, passkeys: acceptedPasskeys(instance, latest) })
}

/**
 * Whoever may not go on is led to the step that is missing, and from there back. Undefined when the answer is a redirect
 * already.
 */
async function authorize(
  ctx: RouteContext,
  services: AuthUiServices,
  presented: PresentedConfirmation,
): Promise<Authorized | undefined> {
  const { instance } = ctx.state
  const session = await services.sessionMiddleware.current(ctx)
  const owner = (await services.owners.get(instance.id))?.owner
  const back = encodeURIComponent(`${instance.origin}${PATH}`)
  if (session === undefined || session.isElsewhere === true || owner === undefined) {
    redirect(ctx, `${instance.origin}/auth/login?redirect=${back}`)
    return undefined
  }
  if (!(await isFreshlyConfirmed(services, instance, owner, presented))) {
    redirect(ctx, `${instance.origin}/auth/confirm?state=${randomHex(16)}&redirect=${back}`)
    return undefined
  }
  return { owner, session, presented }
}

/** The same form twice, such as by a double click, is one passkey and no error. */
async function addOnce(
  ctx: RouteContext,
  services: AuthUiServices,
  authorized: Authorized,
  credential: NewCredential,
): Promise<void> {
  try {
    await add(ctx, services, authorized, credential)
  } catch (error) {
    const owner = (await services.owners.get(ctx.state.instance.id))?.owner
    const id = parseRegistration(credential.json)?.answer.id
    if (!owner?.factors?.passkeys?.some((known) => known.id === id)) throw error
  }
}

async function add(
  ctx: RouteContext,
  services: AuthUiServices,
  { owner, presented }: Authorized,
  credential: NewCredential,
): Promise<void> {
  requireRoom(owner.factors)
  const { instance } = ctx.state
  const proven = await verifyRegistration(services, instance, owner, presented.code, credential)
  if (proven === undefined) throw refused()
  const { passkey, spent } = proven
  const outcome = await changeFactors(services, visitorOf(services, ctx), owner, {
    factor: 'passkey',
    what: passkey.firstWay === true ? 'passkey_added' : 'factor_added',
    next: (factors) => {
      requireRoom(factors)
      const { passkeys: known = [] } = factors
      if (known.some(({ id }) => id === passkey.id)) throw refused()
      // Said from now on: what older records leave open depends on the passkeys there are.
      const passkeyAfterPassphrase = isPasskeyAsked(factors)
      return { ...factors, passkeys: [...known, passkey], passkeyAfterPassphrase }
    },
    also: [spent],
  })
  if (outcome !== 'done') throw refused()
}

async function showForm(
  ctx: RouteContext,
  services: AuthUiServices,
  { owner, presented }: Authorized,
  label: string,
  problem?: FormProblem,
): Promise<void> {
  const { instance } = ctx.state
  const target = await settingsTarget(services, instance)
  await services.pages.passkeyPage(ctx, {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: formActionSources(instance, target),
    options: await passkeyCreationOptions(services, instance, owner, presented.code),
    confirmationCode: presented.code,
    confirmationState: presented.state,
    label,
    backHref: target.href,
    ...(problem === undefined ? {} : { problem }),
  })
}

/** Where the owner came from; home on an instance without the settings app. */
async function settingsTarget(
  services: AuthUiServices,
  instance: Instance,
): Promise<RedirectTarget> {
  try {
    const { settingsSlug } = services.options
    return await parseSlugTarget(services, instance, `${settingsSlug}/#/factors`)
  } catch (error) {
    if (isHttpError(error) && error.code === 'bad_redirect') return homeTarget(services, instance)
    throw error
  }
}

/** @throws AuthUiError `conflict` */
function requireRoom(factors: Factors | undefined): void {
  if ((factors?.passkeys?.length ?? 0) < MAX_PASSKEYS) return
  throw new AuthUiError('conflict', { description: `there are ${MAX_PASSKEYS} passkeys already` })
}

function refused(): AuthUiError {
  return new AuthUiError('passkey_invalid', { status: 422 })
}
