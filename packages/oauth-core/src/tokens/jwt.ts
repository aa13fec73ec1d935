import { timingSafeEqual } from 'node:crypto'
import {
  CLOCK_SKEW_MS,
  type Instance,
  type KeyKind,
  type Keyring,
  type SigningKey,
} from '@svc/platform'
import { LRUCache } from 'lru-cache'
import { ACCESS_TOKEN_MS, KONNECTOR_TOKEN_MS } from '../lifetimes.ts'
import { macOf, MAX_MESSAGE } from './token-mac.ts'

/**
 * The claims of this project's tokens. Dates are seconds since the epoch, as RFC 7519 has them.
 * @see oauth.md 7.1
 */
export interface JwtClaims {
  /** The instance's domain, not a URL. */
  readonly iss: string
  readonly aud: string
  readonly sub: string
  readonly iat: number
  readonly exp: number
  readonly jti?: string
  readonly scope?: string
  /** Grant of an access token. */
  readonly gid?: string
  /** Session of an app token. */
  readonly session_id?: string
}

/** A token in the one form we make, its signature not yet checked. */
export interface ParsedJwt {
  readonly kid: string
  readonly kind: KeyKind
  readonly signingInput: string
  readonly payload: string
  readonly signature: Buffer
}

const SIGNATURE_BYTES = 64
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const BASE64URL = /^[A-Za-z0-9_-]+$/
/** By the length of the last group: the bits of its last character that no byte has. */
const STRAY_BITS = [0, 0b111111, 0b1111, 0b11] as const
const KID = /^(access|session)\.(?:[1-9][0-9]{0,8})$/
const TYPES: readonly unknown[] = ['JWT', 'at+jwt']
/** What asks for a key or a processing that is not ours (RFC 7515 section 4.1). */
const REFUSED_HEADERS = ['b64', 'crit', 'jku', 'jwk', 'x5c', 'x5t', 'x5t#S256', 'x5u', 'zip']

/**
 * Signs with HS512 on synchronous `node:crypto`: about 20 times cheaper than through WebCrypto (D69).
 * @param type - `at+jwt`: an access token of a resource (RFC 9068)
 */
export function signJwt(
  key: SigningKey,
  claims: JwtClaims,
  type: 'JWT' | 'at+jwt' = 'JWT',
): string {
  const input = `${headerOf(key, type)}.${encode(JSON.stringify(claims))}`
  return `${input}.${macOf(key, input).toString('base64url')}`
}

/**
 * Takes a compact token apart, strictly: at most 8 KiB, three canonical base64url parts, `alg` exactly HS512,
 * a `kid` of ours, nothing that names another key. Undefined for anything else.
 */
export function parseJwt(token: string): ParsedJwt | undefined {
  if (token.length > MAX_MESSAGE) return undefined
  const parts = token.split('.')
  const [header, payload, mac] = parts
  if (parts.length !== 3 || !header || !payload || !mac) return undefined
  const name = namedKey(header)
  const signature = decode(mac)
  if (name === undefined || signature === undefined) return undefined
  if (signature.length !== SIGNATURE_BYTES || !isCanonical(payload)) return undefined
  return { ...name, signingInput: `${header}.${payload}`, payload, signature }
}

/** Headers that were read before: all tokens of a key have the same one. */
const HEADERS = new LRUCache<string, KeyName>({ max: 100 })

function namedKey(header: string): KeyName | undefined {
  const known = HEADERS.get(header)
  if (known !== undefined) return known
  const kid = readHeader(header)
  const kind = kid === undefined ? undefined : KID.exec(kid)?.[1]
  if (kid === undefined || kind === undefined) return undefined
  // The expression admits these two kinds only.
  const name = { kid, kind: kind as KeyKind }
  HEADERS.set(header, name)
  return name
}

/** The claims, when the key made the signature and every claim has the form we give it; undefined otherwise. */
export function openJwt(parsed: ParsedJwt, key: SigningKey): JwtClaims | undefined {
  if (!timingSafeEqual(macOf(key, parsed.signingInput), parsed.signature)) return undefined
  const claims = readObject(Buffer.from(parsed.payload, 'base64url'))
  return claims !== undefined && isClaims(claims) ? claims : undefined
}

/** What a token of the interface is for: its one audience. */
export type Audience = 'access' | 'app' | 'konn'

/** Whose tokens there are: those of the interface, and of resources, whose audience is an address (RFC 8707). */
export type TokenKind = Audience | 'resource'

/** What an audience stands for where a token is checked; undefined: nothing that is taken there. */
export type AudienceRule = (audience: string) => TokenKind | undefined

/** Which key a token names. */
export type KeyName = Pick<ParsedJwt, 'kid' | 'kind'>

/** What checking a token found; `expired` only of a token that is ours in every other respect. */
export type JwtCheck =
  | { readonly claims: JwtClaims; readonly kind: TokenKind; readonly key: KeyName }
  | 'invalid'
  | 'expired'

/** The key kind that signs an audience's tokens; a token with another kind's `kid` is invalid (D9). */
const KIND_OF: Readonly<Record<TokenKind, KeyKind>> = {
  access: 'access',
  app: 'session',
  konn: 'session',
  resource: 'access',
}

/** SPEC: oauth.md 7.2 number 4 - the life of the kind counts from `iat`, whatever `exp` says. Milliseconds. */
export const LIFE_OF: Readonly<Record<TokenKind, number>> = {
  access: ACCESS_TOKEN_MS,
  app: ACCESS_TOKEN_MS,
  konn: KONNECTOR_TOKEN_MS,
  resource: ACCESS_TOKEN_MS,
}

/** The audiences of the interface. Tokens of resources are none of them. */
export const INTERFACE: AudienceRule = (audience) =>
  audience === 'access' || audience === 'app' || audience === 'konn' ? audience : undefined

/**
 * Checks everything about a token that needs no look-up of what it names: form, key, signature, audience, issuer,
 * dates. Whether its client, grant or session is still alive is the caller's to ask.
 * @param takes - which audiences are taken here
 * @see security.md 75
 */
export function verifyJwt(
  token: string,
  instance: Instance,
  keyring: Pick<Keyring, 'find'>,
  nowMs: number,
  takes: AudienceRule = INTERFACE,
): JwtCheck | Promise<JwtCheck> {
  const parsed = parseJwt(token)
  if (parsed === undefined) return 'invalid'
  const check = (key: SigningKey | undefined) => checkJwt(parsed, key, instance, nowMs, takes)
  const finding = keyring.find(instance, parsed.kind, parsed.kid)
  return finding instanceof Promise ? finding.then(check) : check(finding)
}

function checkJwt(
  parsed: ParsedJwt,
  key: SigningKey | undefined,
  instance: Instance,
  nowMs: number,
  takes: AudienceRule,
): JwtCheck {
  const claims = key === undefined ? undefined : openJwt(parsed, key)
  const kind = claims === undefined ? undefined : takes(claims.aud)
  if (claims === undefined || kind === undefined) return 'invalid'
  if (KIND_OF[kind] !== parsed.kind || claims.iss !== instance.domain) return 'invalid'
  const state = checkDates(claims, kind, nowMs)
  if (state !== 'live') return state
  return { claims, kind, key: { kid: parsed.kid, kind: parsed.kind } }
}

/** SPEC: security.md 77 - refused from `exp` on: one clock signs and checks, so no leeway is needed. */
function checkDates(
  claims: JwtClaims,
  kind: TokenKind,
  nowMs: number,
): 'expired' | 'invalid' | 'live' {
  const { iat, exp } = claims
  const lifeMs = LIFE_OF[kind]
  if (iat * 1000 > nowMs + CLOCK_SKEW_MS || exp < iat) return 'invalid'
  const diesAt = Math.min(exp * 1000, iat * 1000 + lifeMs)
  return nowMs >= diesAt ? 'expired' : 'live'
}

function headerOf(key: SigningKey, typ: string): string {
  return encode(JSON.stringify({ alg: 'HS512', typ, kid: key.kid }))
}

function readHeader(text: string): string | undefined {
  const bytes = decode(text)
  const header = bytes === undefined ? undefined : readObject(bytes)
  if (header === undefined || header['alg'] !== 'HS512') return undefined
  if (header['typ'] !== undefined && !TYPES.includes(header['typ'])) return undefined
  if (REFUSED_HEADERS.some((name) => Object.hasOwn(header, name))) return undefined
  return typeof header['kid'] === 'string' ? header['kid'] : undefined
}

function isClaims(claims: Record<string, unknown>): claims is Record<string, unknown> & JwtClaims {
  return (
    isText(claims['iss']) &&
    isText(claims['aud']) &&
    isText(claims['sub']) &&
    isInstant(claims['iat']) &&
    isInstant(claims['exp']) &&
    (claims['nbf'] === undefined || claims['nbf'] === claims['iat']) &&
    ['jti', 'scope', 'gid', 'session_id'].every(
      (name) => claims[name] === undefined || typeof claims[name] === 'string',
    )
  )
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isInstant(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 // A safe integer is a number.
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}

/** Canonical base64url only: no padding, no other alphabet, no stray bits, so that a token has one spelling. */
function decode(text: string): Buffer | undefined {
  return isCanonical(text) ? Buffer.from(text, 'base64url') : undefined
}

function isCanonical(text: string): boolean {
  if (!BASE64URL.test(text)) return false
  const lengthOfLast = text.length % 4
  if (lengthOfLast === 1) return false
  const stray = STRAY_BITS[lengthOfLast] ?? 0
  return (ALPHABET.indexOf(text.slice(-1)) & stray) === 0
}

function readObject(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    // A JSON object has string keys.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
