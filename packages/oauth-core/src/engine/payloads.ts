import type { AdapterPayload } from 'oidc-provider'
import type { CodeRecord, GrantRecord, RegistrationTokenRecord } from './records.ts'

/** The one account of an instance: its owner. Never visible outside. */
export const OWNER = 'owner'

/** The resource that every scope is about. Never visible outside: tokens carry the audience `access`. */
export const RESOURCE = 'urn:svc:instance'

// What the engine needs to find again of each model, and no more: it copies every member several times a request.
// Dates are left out: the records decide expiry (D66). So is the account: an instance has one.

export function grantPayload({ id, clientId, scope }: GrantRecord): AdapterPayload {
  return { jti: id, clientId, resources: { [RESOURCE]: scope } }
}

export function codePayload(grant: GrantRecord, jti: string): AdapterPayload {
  const { challenge, consumedAt, redirectUri } = grant.code
  return {
    ...tokenPayload(grant, jti),
    redirectUri,
    ...(challenge === undefined ? {} : { codeChallenge: challenge, codeChallengeMethod: 'S256' }),
    ...(consumedAt === undefined ? {} : { consumed: Math.floor(consumedAt / 1000) }),
  }
}

export function refreshTokenPayload(grant: GrantRecord, jti: string): AdapterPayload {
  return tokenPayload(grant, jti)
}

function tokenPayload({ id, clientId, scope }: GrantRecord, jti: string): AdapterPayload {
  return { jti, clientId, grantId: id, resource: RESOURCE, scope }
}

export function registrationTokenPayload(
  { clientId }: RegistrationTokenRecord,
  jti: string,
): AdapterPayload {
  return { jti, clientId }
}

// And the other way round: what we keep of what it saves.

export function readGrant(payload: AdapterPayload): Pick<GrantRecord, 'clientId' | 'scope'> {
  // Its type in the engine's declarations is empty.
  const resources = payload.resources as Readonly<Record<string, string>> | undefined
  const scope = resources?.[RESOURCE]
  if (scope === undefined) throw new TypeError('a grant has a scope')
  return { clientId: textOf(payload, 'clientId'), scope }
}

export function readCode(payload: AdapterPayload): Pick<CodeRecord, 'challenge' | 'redirectUri'> {
  const redirectUri = textOf(payload, 'redirectUri')
  const { codeChallenge } = payload
  return codeChallenge === undefined ? { redirectUri } : { redirectUri, challenge: codeChallenge }
}

export function readRegistrationToken(payload: AdapterPayload): RegistrationTokenRecord {
  return { clientId: textOf(payload, 'clientId') }
}

/** A member that the engine always saves. */
export function textOf(payload: AdapterPayload, name: keyof AdapterPayload): string {
  const value: unknown = payload[name]
  if (typeof value !== 'string') throw new TypeError(`the engine saved no ${String(name)}`)
  return value
}
