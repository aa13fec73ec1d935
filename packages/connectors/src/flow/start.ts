import { type Instance, randomId, type RouteContext, viewOf } from '@svc/platform'
import { accountTypeName, isAccountId } from '../accounts/account.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'
import { authorizationUrl } from './authorization-url.ts'
import { bindBrowser } from './flow-cookie.ts'
import {
  answerPrefetch,
  checkQuerySize,
  MAX_START_QUERY,
  pathParameter,
  redirectTo,
} from './flow-requests.ts'
import { createToken, type PendingFlow, putState } from './flow-store.ts'
import { readStartParameters, type StartParameters } from './start-parameters.ts'
import { findUsableType, type UsableType } from './usable-type.ts'

/** `GET …/start`. @see connectors.md 4.1 */
export async function handleStart(ctx: RouteContext, services: ConnectorsServices): Promise<void> {
  if (!answerPrefetch(ctx)) await start(ctx, services)
}

/** `GET …/reconnect`. @see connectors.md 4.7 */
export async function handleReconnect(
  ctx: RouteContext,
  services: ConnectorsServices,
): Promise<void> {
  if (!answerPrefetch(ctx)) await start(ctx, services, pathParameter(ctx, 'accountId'))
}

/** SPEC: connectors.md 4.1 - the login before the type, so that strangers learn nothing of types. */
async function start(
  ctx: RouteContext,
  services: ConnectorsServices,
  accountId?: string,
): Promise<void> {
  const { instance, query } = ctx.state
  checkQuerySize(ctx, MAX_START_QUERY)
  await requireOwner(ctx, services)
  requireNavigation(ctx)
  await services.limits.hit(instance, 'account-start')
  const usable = await findUsableType(services, instance, pathParameter(ctx, 'accountType'))
  const { type } = usable
  if (accountId !== undefined) await requireAccount(services, instance, accountId, type.name)
  const asked = await readStartParameters(services, instance, type, query)
  const isBound = services.options.browserBinding === 'on' && type.hasBrowserBinding
  const target = await startFlow(services, instance, usable, asked, {
    ...(accountId !== undefined && { accountId }),
    ...(isBound && { binderHash: bindBrowser(ctx, services) }),
  })
  redirectTo(ctx, target)
}

/** What a flow is about, beside the parameters. */
export interface FlowTarget {
  /** Absent: a new account. */
  readonly accountId?: string
  /** Absent: any browser may bring the answer. */
  readonly binderHash?: string
}

/**
 * Remembers a flow.
 * @returns where the owner goes
 * @throws ConnectorError `account_type_misconfigured`
 * @see connectors.md 4.1 (8), 5.1, 5.2
 */
async function startFlow(
  services: ConnectorsServices,
  instance: Instance,
  usable: UsableType,
  asked: StartParameters,
  { accountId, binderHash }: FlowTarget,
): Promise<string> {
  const { type, authEndpoint, metadata } = usable
  const { clientState, nonce, slug } = asked
  const scopes = [...new Set([...asked.scopes, ...type.addedScopes])]
  const origin = services.options.callbackUrl ?? instance.origin
  const redirectUri = type.redirectUri ?? `${origin}/accounts/${type.name}/redirect`
  const { calculatePKCECodeChallenge, generateRandomCodeVerifier } = await import('oauth4webapi')
  const codeVerifier = usesPkce(usable) ? generateRandomCodeVerifier() : undefined
  const oidcNonce = scopes.includes('openid') ? randomId(32) : undefined
  const state = createToken()
  const question = {
    redirectUri,
    scopes,
    state,
    ...(codeVerifier !== undefined && {
      codeChallenge: await calculatePKCECodeChallenge(codeVerifier),
    }),
    ...(oidcNonce !== undefined && { oidcNonce }),
  }
  const flow: PendingFlow = {
    v: 1,
    instance: instance.id,
    accountType: type.name,
    kind: accountId === undefined ? 'create' : 'reconnect',
    ...(accountId !== undefined && { accountId }),
    clientState,
    nonce,
    slug,
    redirectUri,
    scope: scopes.join(' '),
    ...(codeVerifier !== undefined && { codeVerifier }),
    ...(oidcNonce !== undefined && { oidcNonce }),
    ...(type.issuer !== undefined && { issuer: type.issuer }),
    ...(metadata?.sendsIssuer === true && { sendsIssuer: true }),
    ...(binderHash !== undefined && { binderHash }),
    createdAt: services.clock.now(),
  }
  const url = authorizationUrl(type, authEndpoint, question)
  await putState(services, state, flow)
  return url
}

/** A code is used up whoever is logged in. */
async function requireOwner(
  ctx: RouteContext,
  { oauth, sessions }: Pick<ConnectorsServices, 'oauth' | 'sessions'>,
): Promise<void> {
  const code = ctx.state.query.text('session_code')
  const isAdmitted = code !== '' && (await sessions.admit(ctx, code))
  if (!isAdmitted && (await sessions.current(viewOf(ctx, oauth.clientAddress))) === undefined) {
    throw new ConnectorError('login_required', { description: 'the owner is not logged in' })
  }
}

/** Browsers that say how a request came about must say that somebody goes there. */
function requireNavigation(ctx: RouteContext): void {
  const mode = ctx.get('Sec-Fetch-Mode')
  if (mode !== '' && mode !== 'navigate') {
    throw new ConnectorError('navigation_required', {
      description: 'browsers go here, scripts do not',
    })
  }
}

async function requireAccount(
  { accounts }: Pick<ConnectorsServices, 'accounts'>,
  instance: Instance,
  id: string,
  typeName: string,
): Promise<void> {
  const account = isAccountId(id) ? await accounts.get(instance, id) : undefined
  if (account === undefined || accountTypeName(account) !== typeName) {
    throw new ConnectorError('account_not_found', {
      description: 'there is no such account of this type',
    })
  }
}

/** SPEC: connectors.md 5.2, K9 - a client without a secret always proves itself; some providers refuse PKCE. */
function usesPkce({ type, metadata }: UsableType): boolean {
  if (type.clientSecret === undefined || type.pkce === 'S256') return true
  return type.pkce === undefined && metadata?.supportsS256 === true
}
