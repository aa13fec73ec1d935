import {
  PASSPHRASE_LIMITS,
  SECOND_CODE_LIMITS,
  SECOND_STEP_LIMITS,
} from '../login/passphrase-limits.ts'
import type { MoveRequest } from '@svc/oauth-core'
import {
  anybody,
  bodySchema,
  defineRoute,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { ChallengeRequest } from '../factors/challenge.ts'
import { completeChallenge } from '../factors/challenge-answer.ts'
import { findChallenge, startChallenge } from '../factors/second-factor.ts'
import { answerActivation } from '../login/activation.ts'
import { checkPassphrase } from '../login/passphrase-check.ts'
import { isSecondFactorOn } from '../owner/factors.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { answerJson } from '../web/answer.ts'
import { visitorOf } from '../web/visitor.ts'

/** Parameters of a move, from a query or a form. */
interface AskedMove {
  get(name: string): string | undefined
}

/** Fields of `POST /auth/authorize/move`; what is missing is refused by the rule that needs it. */
const MOVE_SCHEMA = bodySchema({
  type: 'object',
  properties: {
    client_id: { type: 'string' },
    csrf_token: { type: 'string', description: 'of the page' },
    passphrase: { type: 'string', description: 'the login value' },
    redirect: { type: 'string', description: 'another name of redirect_uri' },
    redirect_uri: { type: 'string', description: 'byte for byte one of the client' },
    state: { type: 'string' },
    'two-factor-passcode': { type: 'string', description: 'with the token of an earlier answer' },
    'two-factor-token': { type: 'string' },
  },
})

/**
 * Moving to another server: the owner proves to be the owner, whoever is logged in. No session is opened.
 *
 * OPEN(0118): the routes stand here, since they ask for the passphrase; what is granted is made by `oauth.moves`.
 * @see oauth.md 5.10
 */
export const moveRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/authorize/move',
    handler: showMove,
    auth: anybody,
    statuses: [200, 400, 412],
    family: 'html',
    summary: 'Shows the form in which the owner lets another server take the data over.',
    source: 'oauth.md 5.10',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/authorize/move',
    handler: submitMove,
    auth: provedInHandler(['passphrase'], 'login/passphrase-check.ts'),
    // A request without any body still meets the CSRF rule first.
    body: { types: ['form'], optional: true, schema: MOVE_SCHEMA },
    csrf: 'token',
    statuses: [200, 400, 401, 403, 412, 413, 415, 429],
    family: 'json',
    limit: [...PASSPHRASE_LIMITS, ...SECOND_CODE_LIMITS, ...SECOND_STEP_LIMITS],
    activity: ['consent.given', 'login.failed', 'login.throttled'],
    summary: 'Answers where the browser brings the code for exports and imports.',
    source: 'oauth.md 5.10, decision D34',
  }),
]

async function showMove(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { client, redirectUri, state } = await checkMove(services, ctx, ctx.state.query)
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return answerActivation(services, ctx)
  await services.pages.movePage(ctx, {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: [],
    salt: owner.salt,
    iterations: owner.iterations,
    client,
    redirectUri,
    state,
  })
}

/** Order: CSRF, client and address, passphrase, second factor. */
async function submitMove(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { form, instance } = ctx.state
  const request = await checkMove(services, ctx, form)
  const owner = await onboardedOwner(services, instance)
  if (owner === undefined) throw new AuthUiError('onboarding_needed')
  await checkPassphrase(services, ctx, owner, form.text('passphrase'))
  if (await passSecondStep(ctx, services, owner, request)) {
    answerJson(ctx, { redirect: await grantMove(services, ctx, owner, request) })
  }
}

/** False when it answered: the second step is open. SPEC: decision D34 - no browser is trusted enough to skip it. */
async function passSecondStep(
  ctx: RouteContext,
  services: AuthUiServices,
  owner: Owner,
  request: MoveRequest,
): Promise<boolean> {
  if (!isSecondFactorOn(owner.factors)) return true
  const { form, instance } = ctx.state
  const token = form.text('two-factor-token')
  const passcode = form.text('two-factor-passcode')
  if (token === '' || passcode === '') {
    await askSecondStep(ctx, services, owner, request)
    return false
  }
  const challenge = await findChallenge(services, instance, owner, token)
  // SPEC: security.md 30 - what differs from step 1 is refused, and nothing is counted.
  if (challenge?.purpose === 'move' && !isFor(challenge, request)) {
    const description = 'the second step is for another move'
    throw new AuthUiError('invalid_parameter', { description })
  }
  await completeChallenge(services, visitorOf(services, ctx), owner, 'move', { token, passcode })
  return true
}

async function askSecondStep(
  ctx: RouteContext,
  services: AuthUiServices,
  owner: Owner,
  { client, redirectUri, state }: MoveRequest,
): Promise<void> {
  const { token } = await startChallenge(services, visitorOf(services, ctx), owner, {
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

function isFor(challenge: ChallengeRequest, { client, redirectUri, state }: MoveRequest): boolean {
  const { clientId, redirect } = challenge
  return clientId === client.id && redirect === redirectUri && challenge.state === state
}

/**
 * Checks what is asked for. SPEC: oauth.md 5.10 - deployed forms call the address `redirect`.
 * @throws OAuthError 400; AuthUiError `invalid_parameter`
 */
async function checkMove(
  services: Pick<AuthUiServices, 'oauth'>,
  ctx: RouteContext,
  asked: AskedMove,
): Promise<MoveRequest> {
  const alias = asked.get('redirect')
  const uri = asked.get('redirect_uri')
  if (alias !== undefined && uri !== undefined && alias !== uri) {
    const description = 'redirect and redirect_uri differ'
    throw new AuthUiError('invalid_parameter', { description })
  }
  const [state, clientId] = [asked.get('state'), asked.get('client_id')]
  return checkValues(services, ctx, { state, clientId, redirect: uri ?? alias })
}

/** The move that a second step is for, checked again: client and address may be gone since. @throws OAuthError 400 */
export async function recallMove(
  services: Pick<AuthUiServices, 'oauth'>,
  ctx: RouteContext,
  { state, clientId, redirect }: ChallengeRequest,
): Promise<MoveRequest> {
  return checkValues(services, ctx, { state, clientId, redirect })
}

async function checkValues(
  { oauth }: Pick<AuthUiServices, 'oauth'>,
  ctx: RouteContext,
  {
    state,
    clientId,
    redirect,
  }: Readonly<Record<'state' | 'clientId' | 'redirect', string | undefined>>,
): Promise<MoveRequest> {
  const values = new Map([
    ['state', state],
    ['client_id', clientId],
    ['redirect_uri', redirect],
  ])
  return oauth.moves.check(ctx, { text: (name) => values.get(name) ?? '' })
}

/** Makes the code. @returns where the browser brings it */
export async function grantMove(
  { oauth, options }: Pick<AuthUiServices, 'oauth' | 'options'>,
  ctx: RouteContext,
  owner: Owner,
  request: MoveRequest,
): Promise<string> {
  const { used, quota } = (await options.move.diskUsage?.(ctx.state.instance)) ?? { used: 0 }
  return oauth.moves.grant(ctx, request, {
    used: wholeBytes(used),
    ...(quota === undefined ? {} : { quota: wholeBytes(quota) }),
    vault: owner.keys !== undefined,
  })
}

function wholeBytes(bytes: number): number {
  return Math.max(0, Math.round(bytes))
}
