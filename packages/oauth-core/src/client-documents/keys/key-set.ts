import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto'
import { ASSERTION_ALGORITHMS } from '../../clients/client-document.ts'

/** A public key of a client, with the members that are looked at. */
export type ClientKey = Readonly<Record<string, string>>

export const MAX_KEYS = 10
const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 8192
const PRIVATE_MEMBERS = ['d', 'dp', 'dq', 'k', 'oth', 'p', 'q', 'qi', 't']
/** Of each type the members that make the key, in the order of RFC 7638. */
const OWN_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
}
const MAX_TEXT = 256

/**
 * The keys of a set that a client may sign with. Undefined when the set is malformed, holds a secret, or leaves no key
 * that is good for one of the algorithms.
 * @see assistants.md 2.4; RFC 7517
 */
export function readKeySet(value: unknown): readonly ClientKey[] | undefined {
  if (!isObject(value) || !Array.isArray(value['keys'])) return undefined
  const given: readonly unknown[] = value['keys']
  if (given.length > MAX_KEYS || !given.every(isPublic)) return undefined
  const keys = given.map(readKey).filter((key) => key !== undefined)
  return keys.length === 0 ? undefined : keys
}

function isPublic(key: unknown): key is Readonly<Record<string, unknown>> {
  return isObject(key) && PRIVATE_MEMBERS.every((name) => key[name] === undefined)
}

function readKey(given: Readonly<Record<string, unknown>>): ClientKey | undefined {
  const own = OWN_MEMBERS[textOf(given, 'kty') ?? '']
  if (own === undefined) return undefined
  const members = [...own, 'alg', 'kid', 'use']
  const key = Object.fromEntries(
    members.flatMap((name) => {
      const text = textOf(given, name)
      return text === undefined ? [] : [[name, text]]
    }),
  )
  const { use = 'sig' } = key
  return use === 'sig' && ASSERTION_ALGORITHMS.some((alg) => isKeyFor(alg, key)) ? key : undefined
}

/** Whether a key is good for signatures of the algorithm. */
export function isKeyFor(alg: string, key: ClientKey): boolean {
  const own = key['alg']
  return (own === undefined || own === alg) && algorithmsOf(key).includes(alg)
}

/** With which algorithms a key can be used at all. */
function algorithmsOf(key: ClientKey): readonly string[] {
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey({
      // What of it is a key is what this call finds out.
      key: key as JsonWebKey,
      format: 'jwk',
    })
    if (type === 'ed25519') return ['EdDSA']
    if (type === 'ec') return details?.namedCurve === 'prime256v1' ? ['ES256'] : []
    const bits = details?.modulusLength ?? 0
    return type === 'rsa' && bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS ? ['PS256', 'RS256'] : []
  } catch {
    return []
  }
}

/** What stands for a key, whatever it is called. @see RFC 7638 */
export function thumbprintOf(key: ClientKey): string {
  const own = OWN_MEMBERS[key['kty'] ?? ''] ?? []
  const members = JSON.stringify(Object.fromEntries(own.map((name) => [name, key[name]])))
  return createHash('sha256').update(members).digest('base64url')
}

/** Whether one key at least is in both sets. */
export function hasCommonKey(some: readonly ClientKey[], others: readonly ClientKey[]): boolean {
  const known = new Set(some.map(thumbprintOf))
  return others.some((key) => known.has(thumbprintOf(key)))
}

/** A modulus of 8192 bits has 1366 characters; a name has fewer. */
function textOf(given: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = given[name]
  const most = name === 'n' ? 2 * MAX_RSA_BITS : MAX_TEXT
  return typeof value === 'string' && value.length <= most ? value : undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
