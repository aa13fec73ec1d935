import type { AdapterPayload } from 'oidc-provider'
import type {
  CodeRecord,
  GrantRecord,
  RefreshTokenRecord,
  RegistrationTokenRecord,
} from './records.ts'

/** The one account of an instance: its owner. Never visible outside. */
export const OWNER = 'owner'

/** The resource that every scope is about. Never visible outside: tokens carry the audience `access`. */
export const RESOURCE = 'urn:svc:instance'

// What the engine needs to find again of each model, and no more: it copies every member several times a request.
// Dates are left out: the store decides expiry (D66). So is the account: an instance has one.

export function codePayload(record: CodeRecord, jti: string): AdapterPayload {
  return {
    jti,
    clientId: record.clientId,
    grantId: record.grantId,
    redirectUri: record.redirectUri,
    resource: RESOURCE,
    scope: record.scope,
    ...(record.codeChallenge === undefined
      ? {}
      : { codeChallenge: record.codeChallenge, codeChallengeMethod: 'S256' }),
    ...(record.consumedAt === undefined ? {} : { consumed: Math.floor(record.consumedAt / 1000) }),
  }
}

export function grantPayload(record: GrantRecord): AdapterPayload {
  return {
    jti: record.id,
    clientId: record.clientId,
    resources: { [RESOURCE]: record.scope },
  }
}

export function refreshTokenPayload(record: RefreshTokenRecord, jti: string): AdapterPayload {
  return {
    jti,
    clientId: record.clientId,
    grantId: record.grantId,
    resource: RESOURCE,
    scope: record.scope,
  }
}

export function registrationTokenPayload(
  record: RegistrationTokenRecord,
  jti: string,
): AdapterPayload {
  return { jti, clientId: record.clientId }
}

// And the other way round: what we keep of what it saves.

export function readCode(payload: AdapterPayload): CodeRecord {
  return {
    clientId: text(payload, 'clientId'),
    grantId: text(payload, 'grantId'),
    redirectUri: text(payload, 'redirectUri'),
    scope: text(payload, 'scope'),
    ...(payload.codeChallenge === undefined ? {} : { codeChallenge: payload.codeChallenge }),
  }
}

export function readGrant(
  payload: AdapterPayload,
  id: string,
): Pick<GrantRecord, 'id' | 'clientId' | 'scope'> {
  // Its type in the engine's declarations is empty.
  const resources = payload.resources as Readonly<Record<string, string>> | undefined
  const scope = resources?.[RESOURCE]
  if (scope === undefined) throw new TypeError('a grant has a scope')
  return { id, clientId: text(payload, 'clientId'), scope }
}

export function readRefreshToken(payload: AdapterPayload): RefreshTokenRecord {
  return {
    clientId: text(payload, 'clientId'),
    grantId: text(payload, 'grantId'),
    scope: text(payload, 'scope'),
  }
}

export function readRegistrationToken(payload: AdapterPayload): RegistrationTokenRecord {
  return { clientId: text(payload, 'clientId') }
}

function text(payload: AdapterPayload, name: keyof AdapterPayload): string {
  const value: unknown = payload[name]
  if (typeof value !== 'string') throw new TypeError(`the engine saved no ${String(name)}`)
  return value
}
