import { type Instance, randomId } from '@svc/platform'
import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi'
import { authorizationUrl } from './authorization-url.ts'
import { createToken } from './one-time-values.ts'
import type { PendingFlow } from './pending-flow.ts'
import type { StartParameters } from './start-parameters.ts'
import type { States } from './flow-store.ts'
import type { UsableType } from './usable-type.ts'

export interface BeginOptions {
  readonly states: States
  readonly clock: { now(): number }
  /** D38. */
  readonly callbackUrl: string | undefined
}

/** What a flow is about, beside the parameters. */
export interface FlowTarget {
  /** Absent: a new account. */
  readonly accountId?: string
  /** Absent: any browser may bring the answer. */
  readonly binderHash?: string
}

/** Remembers a flow. @returns where the owner goes @throws ConnectorError `account_type_misconfigured` */
export type Begin = (
  instance: Instance,
  usable: UsableType,
  asked: StartParameters,
  target: FlowTarget,
) => Promise<string>

/** @see connectors.md 4.1 (8), 5.1, 5.2 */
export function createBegin({ states, clock, callbackUrl }: BeginOptions): Begin {
  return async function begin(instance, usable, asked, { accountId, binderHash }) {
    const { type, authEndpoint, metadata } = usable
    const { clientState, nonce, slug } = asked
    const scopes = [...new Set([...asked.scopes, ...type.addedScopes])]
    const redirectUri =
      type.redirectUri ?? `${callbackUrl ?? instance.origin}/accounts/${type.name}/redirect`
    const codeVerifier = usesPkce(usable) ? generateRandomCodeVerifier() : undefined
    const oidcNonce = scopes.includes('openid') ? randomId(32) : undefined
    const state = createToken()
    const question = {
      ...{ redirectUri, scopes, state },
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
      ...{ clientState, nonce, slug, redirectUri },
      scope: scopes.join(' '),
      ...(codeVerifier !== undefined && { codeVerifier }),
      ...(oidcNonce !== undefined && { oidcNonce }),
      ...(type.issuer !== undefined && { issuer: type.issuer }),
      ...(metadata?.sendsIssuer === true && { sendsIssuer: true }),
      ...(binderHash !== undefined && { binderHash }),
      createdAt: clock.now(),
    }
    const url = authorizationUrl(type, authEndpoint, question)
    await states.put(state, flow)
    return url
  }
}

/** SPEC: connectors.md 5.2, K9 - a client without a secret always proves itself; some providers refuse PKCE. */
function usesPkce({ type, metadata }: UsableType): boolean {
  if (type.clientSecret === undefined || type.pkce === 'S256') return true
  return type.pkce === undefined && metadata?.supportsS256 === true
}
