import type { ClientService } from '../registration/client-service.ts'
import type { Client } from '../clients/client.ts'
import type { ClientStore } from '../clients/client-store.ts'
import { checkRegistrationToken } from '../registration/manage.ts'
import { limitClientWrites } from '../registration/register.ts'
import {
  equalSecrets,
  type Logger,
  type RateLimits,
  type RouteContext,
  type RouteMiddleware,
  type RouteRow,
} from '@svc/platform'
import type { Engine } from '../engine/engine.ts'
import { readBearer } from '../tokens/bearer.ts'
import { readAttestation, verifyAttestation } from './attest.ts'
import type { FlagshipConfig } from './attestation-config.ts'
import { isAttestationError } from './attestation-error.ts'
import type { Challenges } from './challenges.ts'
import { attestationSchema, challengeSchema, flagshipCodeSchema } from './certification.schema.ts'
import type { FlagshipCodes } from './flagship-codes.ts'

export interface CertificationDependencies {
  readonly clients: Pick<ClientStore, 'find'>
  readonly clientService: Pick<ClientService, 'certify'>
  readonly engine: Pick<Engine, 'isRegistrationToken'>
  readonly challenges: Challenges
  readonly flagshipCodes: FlagshipCodes
  readonly flagship: FlagshipConfig
  readonly limits: RateLimits<'attestation' | 'confirm-flagship' | 'oauth-client'>
  readonly clock: { now(): number }
  readonly log: Logger
}

type Handle = (ctx: RouteContext, client: Client) => Promise<void>

/** How a client becomes certified: by its platform's word, or by its owner's. @see oauth.md 4 */
export function certificationRows(dependencies: CertificationDependencies): readonly RouteRow[] {
  const { clients, engine, limits } = dependencies
  // What the middleware found; the handlers of the same request go on from it.
  const found = new WeakMap<RouteContext, Client>()

  /** Before the body is read: the client of the path, and its registration token where one is shown or has to be. */
  function requireClient(token: 'none' | 'shown' | 'needed'): RouteMiddleware {
    return async function requireKnownClient(ctx, next) {
      const client = await clients.find(ctx.state.instance, String(ctx['params']?.clientId))
      // SPEC: oauth.md 4.2 - exactly this text, and never a challenge (clients.md 18).
      if (client === undefined) return refuse(ctx, 404, 'Client not found')
      const isShown = token === 'shown' && readBearer(ctx.req) !== 'missing'
      if (isShown || token === 'needed') await checkRegistrationToken(ctx, client, engine)
      found.set(ctx, client)
      await next()
    }
  }

  function handle(handler: Handle) {
    return async function handleFound(ctx: RouteContext): Promise<void> {
      const client = found.get(ctx)
      if (client !== undefined) await handler(ctx, client)
    }
  }

  const row = { method: 'POST', family: 'json' } as const satisfies Partial<RouteRow>
  return [
    {
      ...row,
      path: '/auth/clients/:clientId/attestation',
      handler: handle((ctx, client) => attest(ctx, client, dependencies)),
      auth: ['none', 'registration access token'],
      body: { types: ['json'], schema: attestationSchema },
      statuses: [204, 400, 401, 404, 413, 415, 429],
      limit: 'attestation',
      // SPEC: clients.md 24 - the nonce is proof enough, but a token that is shown has to be right.
      use: [requireClient('shown')],
      summary: "Certifies a client by its platform's attestation of a challenge.",
      source: 'oauth.md 4.2; clients.md 24',
    },
    {
      ...row,
      path: '/auth/clients/:clientId/challenge',
      handler: handle((ctx, client) => challenge(ctx, client, dependencies)),
      auth: ['registration access token'],
      body: { types: ['json', 'form'], optional: true, schema: challengeSchema },
      statuses: [201, 400, 401, 404, 413, 415, 429],
      limit: 'oauth-client',
      use: [limitClientWrites(limits), requireClient('needed')],
      summary: 'Gives a client a nonce to have itself attested with.',
      source: 'oauth.md 4.1; clients.md 16',
    },
    {
      ...row,
      path: '/auth/clients/:clientId/flagship',
      handler: handle((ctx, client) => confirm(ctx, client, dependencies)),
      auth: ['code'],
      body: { types: ['form'], schema: flagshipCodeSchema },
      statuses: [204, 400, 401, 404, 413, 415, 429],
      limit: 'confirm-flagship',
      use: [requireClient('none')],
      summary: 'Certifies a client by the code that was mailed to the owner.',
      source: 'oauth.md 4.6; decision D46',
    },
  ]
}

async function challenge(
  ctx: RouteContext,
  client: Client,
  { challenges }: CertificationDependencies,
): Promise<void> {
  const nonce = await challenges.create(ctx.state.instance, client.id)
  // Deleted in this very moment.
  if (nonce === undefined) return refuse(ctx, 404, 'Client not found')
  ctx.status = 201
  ctx.body = { nonce }
}

async function attest(
  ctx: RouteContext,
  client: Client,
  dependencies: CertificationDependencies,
): Promise<void> {
  const { challenges, clientService, clock, flagship, limits, log } = dependencies
  const { instance } = ctx.state
  await limits.hit(instance, 'attestation')
  // Without a nonce of the client's own nothing is looked at: strangers cannot use its tries up.
  const giveBack = (): Promise<void> => limits.release(instance, 'attestation')
  const posted = readAttestation(ctx.state.json)
  if ('reason' in posted) {
    await giveBack()
    return refuse(ctx, 400, posted.reason)
  }
  // Before anything is looked at: a nonce is good for one try.
  if (!(await challenges.take(instance, client.id, posted.challenge))) {
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
  const certified = await clientService.certify(instance, client.id, 'store', client)
  if (certified === undefined) return refuse(ctx, 404, 'Client not found')
  if (!certified.flagship) return refuse(ctx, 400, 'invalid challenge')
  ctx.status = 204
}

async function confirm(
  ctx: RouteContext,
  client: Client,
  { clientService, flagshipCodes, limits }: CertificationDependencies,
): Promise<void> {
  const { instance, form } = ctx.state
  const answer = { token: form.text('token'), code: form.text('code').replaceAll(/\s/gu, '') }
  await limits.hit(instance, 'confirm-flagship')
  const { token } = (await flagshipCodes.find(instance, client)) ?? {}
  if (token === undefined || !equalSecrets(token, answer.token)) {
    // Only the owner's page shows the token: who does not have it cannot guess, and uses up no try of the owner's.
    await limits.release(instance, 'confirm-flagship')
    return refuse(ctx, 401, 'Invalid code')
  }
  if (!(await flagshipCodes.redeem(instance, client, answer))) {
    return refuse(ctx, 401, 'Invalid code')
  }
  const certified = await clientService.certify(instance, client.id, 'code', client)
  if (certified === undefined) return refuse(ctx, 404, 'Client not found')
  if (!certified.flagship) return refuse(ctx, 401, 'Invalid code')
  ctx.status = 204
}

/** SPEC: oauth.md 4 - these bodies hold the reason and nothing else. */
function refuse(ctx: RouteContext, status: 400 | 401 | 404, reason: string): void {
  ctx.status = status
  ctx.body = { error: reason }
}
