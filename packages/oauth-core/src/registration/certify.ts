import { byClient, byOwner } from './activity-source.ts'
import {
  type BodyRule,
  equalSecrets,
  requirement,
  type RouteAuth,
  type RouteContext,
} from '@svc/platform'
import { readAttestation, verifyAttestation } from '../certification/attest.ts'
import { isAttestationError } from '../certification/attestation-error.ts'
import { createChallenge, takeChallenge } from '../certification/challenges.ts'
import { findFlagshipCode, redeemFlagshipCode } from '../certification/flagship-codes.ts'
import { type Client, isPublic } from '../clients/client.ts'
import { OAuthError } from '../errors.ts'
import type { OAuthServices } from '../services.ts'
import { readBearer } from '../tokens/bearer.ts'
import { certifyClient } from './change-client.ts'
import { bareError, checkRegistrationToken, clientNotFound } from './manage.ts'

// How a client becomes certified: by its platform's word, or by its owner's. @see oauth.md 4

/** What the requirements found; the handlers of the same request go on from it. */
const found = new WeakMap<RouteContext, Client>()

/** SPEC: clients.md 24 - the nonce is proof enough, but a token that is shown has to be right. */
export const requireAttestingClient: RouteAuth<OAuthServices> = requirement(
  ['none', 'registration access token'],
  async function requireAttestingClient(ctx, services) {
    const client = await findClientOfPath(ctx, services)
    if (readBearer(ctx.req) === 'missing') return
    await checkRegistrationToken(ctx, client, services.engine)
  },
)

/** A client that asks for a challenge is within the limit, and shows its registration token. */
export const requireChallengedClient: RouteAuth<OAuthServices> = requirement(
  ['registration access token'],
  async function requireChallengedClient(ctx, services) {
    await services.limits.hit(ctx.state.instance, 'oauth-client')
    const client = await findClientOfPath(ctx, services)
    await checkRegistrationToken(ctx, client, services.engine)
  },
)

/** There is such a client; that its code is right is for the handler to find out. */
export const requireKnownClient: RouteAuth<OAuthServices> = requirement(
  ['code'],
  async function requireKnownClient(ctx, services) {
    await findClientOfPath(ctx, services)
  },
)

/** `POST /auth/clients/:clientId/challenge`. @see oauth.md 4.1; clients.md 16 */
export async function sendChallenge(ctx: RouteContext, services: OAuthServices): Promise<void> {
  const nonce = await createChallenge(services, ctx.state.instance, foundClient(ctx).id)
  // Deleted in this very moment.
  if (nonce === undefined) throw clientNotFound()
  ctx.status = 201
  ctx.body = { nonce }
}

/** How {@link certifyByAttestation} takes its body. */
export const ATTESTATION_BODY: Omit<BodyRule, 'schema'> = {
  types: ['json'],
  refuse: () => bareError(400, 'the body must be a JSON object'),
}

/** `POST /auth/clients/:clientId/attestation`. @see oauth.md 4.2; clients.md 24 */
export async function certifyByAttestation(
  ctx: RouteContext,
  services: OAuthServices,
): Promise<void> {
  const { clock, flagship, limits, log } = services
  const { instance } = ctx.state
  const client = foundClient(ctx)
  await limits.hit(instance, 'attestation')
  // Without a nonce of the client's own nothing is looked at: strangers cannot use its tries up.
  const giveBack = (): Promise<void> => limits.release(instance, 'attestation')
  const posted = readAttestation(ctx.state.body)
  if ('reason' in posted) {
    await giveBack()
    return refuse(ctx, 400, posted.reason)
  }
  // Before anything is looked at: a nonce is good for one try.
  if (!(await takeChallenge(services, instance, client.id, posted.challenge))) {
    await giveBack()
    return refuse(ctx, 400, 'invalid challenge')
  }
  try {
    await verifyAttestation(posted, flagship, clock.now())
  } catch (error) {
    if (!isAttestationError(error)) throw error
    const { domain } = instance
    log.info('client.attestation_refused', { domain, clientId: client.id, reason: error.reason })
    return refuse(ctx, 400, error.reason)
  }
  const certified = await certifyClient(services, instance, client.id, 'store', {
    verified: client,
    by: byClient(client, ctx, services),
  })
  if (certified === undefined) throw clientNotFound()
  if (!certified.flagship) return refuse(ctx, 400, 'invalid challenge')
  ctx.status = 204
}

/** `POST /auth/clients/:clientId/flagship`. @see oauth.md 4.6; decision D46 */
export async function certifyByCode(ctx: RouteContext, services: OAuthServices): Promise<void> {
  const { limits } = services
  const { instance, form } = ctx.state
  const client = foundClient(ctx)
  const answer = { token: form.text('token'), code: form.text('code').replaceAll(/\s/gu, '') }
  await limits.hit(instance, 'confirm-flagship')
  const { token } = (await findFlagshipCode(services, instance, client)) ?? {}
  if (token === undefined || !equalSecrets(token, answer.token)) {
    // Only the owner's page shows the token: who does not have it cannot guess, and uses up no try of the owner's.
    await limits.release(instance, 'confirm-flagship')
    return refuse(ctx, 401, 'Invalid code')
  }
  if (!(await redeemFlagshipCode(services, instance, client, answer))) {
    return refuse(ctx, 401, 'Invalid code')
  }
  const certified = await certifyClient(services, instance, client.id, 'code', {
    verified: client,
    by: byOwner(ctx, services),
  })
  if (certified === undefined) throw clientNotFound()
  if (!certified.flagship) return refuse(ctx, 401, 'Invalid code')
  ctx.status = 204
}

async function findClientOfPath(
  ctx: RouteContext,
  { clients }: Pick<OAuthServices, 'clients'>,
): Promise<Client> {
  const client = await clients.find(ctx.state.instance, String(ctx['params']?.clientId))
  if (client === undefined) throw clientNotFound()
  // SPEC: assistants.md 3.4 - what has no secret is never certified.
  if (isPublic(client)) throw new OAuthError('forbidden')
  found.set(ctx, client)
  return client
}

function foundClient(ctx: RouteContext): Client {
  const client = found.get(ctx)
  if (client === undefined) throw new TypeError('the requirement of the route comes first')
  return client
}

/** SPEC: oauth.md 4 - these bodies hold the reason and nothing else. */
function refuse(ctx: RouteContext, status: 400 | 401, reason: string): void {
  ctx.status = status
  ctx.body = { error: reason }
}
