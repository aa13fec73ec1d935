import { CLOCK_SKEW_MS, type Instance, type KeyKind, type Keyring } from '@svc/platform'
import { ACCESS_TOKEN_MS, KONNECTOR_TOKEN_MS } from '../lifetimes.ts'
import { type JwtClaims, openJwt, parseJwt } from './jwt.ts'

/** What a token is for: its one audience. */
export type Audience = 'access' | 'app' | 'konn'

/** What checking a token found; `expired` only of a token that is ours in every other respect. */
export type JwtCheck = { readonly claims: JwtClaims } | 'invalid' | 'expired'

/** The key kind that signs an audience's tokens; a token with another kind's `kid` is invalid (D9). */
const KIND_OF: Readonly<Record<Audience, KeyKind>> = {
  access: 'access',
  app: 'session',
  konn: 'session',
}

/** SPEC: oauth.md 7.2 number 4 - the life of the kind counts from `iat`, whatever `exp` says. Milliseconds. */
export const LIFE_OF: Readonly<Record<Audience, number>> = {
  access: ACCESS_TOKEN_MS,
  app: ACCESS_TOKEN_MS,
  konn: KONNECTOR_TOKEN_MS,
}

/**
 * Checks everything about a token that needs no look-up of what it names: form, key, signature, audience, issuer,
 * dates. Whether its client, grant or session is still alive is the caller's to ask.
 * @see security.md 75
 */
export async function verifyJwt(
  token: string,
  instance: Instance,
  keyring: Keyring,
  nowMs: number,
): Promise<JwtCheck> {
  const parsed = parseJwt(token)
  if (parsed === undefined) return 'invalid'
  const key = await keyring.find(instance, parsed.kind, parsed.kid)
  const claims = key === undefined ? undefined : openJwt(parsed, key)
  if (claims === undefined || !isAudience(claims.aud)) return 'invalid'
  if (KIND_OF[claims.aud] !== parsed.kind || claims.iss !== instance.domain) return 'invalid'
  return checkDates(claims, LIFE_OF[claims.aud], nowMs)
}

/** SPEC: security.md 77 - refused from `exp` on: one clock signs and checks, so no leeway is needed. */
function checkDates(claims: JwtClaims, lifeMs: number, nowMs: number): JwtCheck {
  const { iat, exp } = claims
  if (iat * 1000 > nowMs + CLOCK_SKEW_MS || exp < iat) return 'invalid'
  const diesAt = Math.min(exp * 1000, iat * 1000 + lifeMs)
  return nowMs >= diesAt ? 'expired' : { claims }
}

function isAudience(aud: string): aud is Audience {
  return Object.hasOwn(KIND_OF, aud)
}
