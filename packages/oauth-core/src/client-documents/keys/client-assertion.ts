import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { CLOCK_SKEW_MS, type InstanceId, MINUTE_MS } from '@svc/platform'
import { secretKey, type Store } from '@svc/store'
import type { JWTPayload } from 'jose'
import { ASSERTION_ALGORITHMS } from '../../clients/client-document.ts'
import { type ClientKey, isKeyFor } from './key-set.ts'

/** SPEC: RFC 7523 section 2.2 */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
export const ASSERTION_KIND = 'client-assertion'
const MAX_LENGTH = 8192
const MAX_LIFE_MS = 5 * MINUTE_MS
const MAX_ID_LENGTH = 256

/** Whom an assertion has to be for. */
export interface AssertionRules {
  /** The identifier of the client: it says so of itself, twice. */
  readonly url: string
  /** Of the instance: the one audience that an assertion may have. */
  readonly issuer: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The client's keys, asked for once it is known which is wanted. */
  readonly keysOf: (kid: string | undefined) => Promise<readonly ClientKey[]>
}

/** An assertion that is the client's, and was not looked up whether it came before. */
export interface ProvedAssertion {
  readonly jti: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/**
 * What an assertion proves; undefined: nothing.
 * @throws whatever `keysOf` throws
 * @see assistants.md 2.12; RFC 7523 section 3
 */
export async function verifyAssertion(
  text: string,
  { url, issuer, now, keysOf }: AssertionRules,
): Promise<ProvedAssertion | undefined> {
  const header = text.length <= MAX_LENGTH ? await readHeader(text) : undefined
  if (header === undefined) return undefined
  const { alg, kid } = header
  const keys = await keysOf(kid)
  for (const key of keys) {
    if (kid !== undefined && key['kid'] !== undefined && key['kid'] !== kid) continue
    if (!isKeyFor(alg, key)) continue
    const claims = await claimsOf(text, key, { alg, url, now })
    if (claims !== undefined) return prove(claims, issuer, now)
  }
  return undefined
}

/** Of any number of parallel requests with one assertion one is answered true, over all processes. */
export async function useAssertion(
  store: Pick<Store, 'write'>,
  instanceId: InstanceId,
  url: string,
  { jti, expiresAt }: ProvedAssertion,
): Promise<boolean> {
  const key = secretKey(instanceId, ASSERTION_KIND, `${url} ${jti}`)
  const until = expiresAt + CLOCK_SKEW_MS
  const { written } = await store.write([
    { op: 'put', key, value: {}, expiresAt: until, ifAbsent: true },
  ])
  return written
}

async function readHeader(
  text: string,
): Promise<{ alg: string; kid: string | undefined } | undefined> {
  const { decodeProtectedHeader } = await import('jose')
  try {
    const { alg = '', kid } = decodeProtectedHeader(text)
    const isKnown = (ASSERTION_ALGORITHMS as readonly string[]).includes(alg)
    return isKnown && (kid === undefined || typeof kid === 'string') ? { alg, kid } : undefined
  } catch {
    return undefined
  }
}

async function claimsOf(
  text: string,
  key: ClientKey,
  { alg, url, now }: { readonly alg: string; readonly url: string; readonly now: number },
): Promise<JWTPayload | undefined> {
  const { errors, jwtVerify } = await import('jose')
  try {
    // `readKeySet` found that it is one.
    const publicKey = createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
    const { payload } = await jwtVerify(text, publicKey, {
      algorithms: [alg],
      clockTolerance: CLOCK_SKEW_MS / 1000,
      currentDate: new Date(now),
      issuer: url,
      requiredClaims: ['exp', 'jti'],
      subject: url,
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

function prove(
  { aud, exp = 0, jti }: JWTPayload,
  issuer: string,
  now: number,
): ProvedAssertion | undefined {
  // SPEC: draft-ietf-oauth-rfc7523bis section 4 - no other name of this server, and no other server beside it.
  const [audience, ...others] = Array.isArray(aud) ? aud : [aud]
  if (audience !== issuer || others.length > 0) return undefined
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) return undefined
  const expiresAt = exp * 1000
  return expiresAt <= now + MAX_LIFE_MS + CLOCK_SKEW_MS ? { jti, expiresAt } : undefined
}
