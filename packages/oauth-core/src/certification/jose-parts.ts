import { AttestationError, REASONS } from './attestation-error.ts'

/** A JSON object of a token: nothing is known of its fields. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * The parts of a compact JWS (3) or JWE (5), decoded. A base64url part that is not canonical is refused: bits that no
 * decoder looks at would otherwise be free to change.
 * @throws AttestationError `cannot parse attestation: …`
 */
export function compactParts(token: string, count: 3 | 5): readonly Buffer<ArrayBuffer>[] {
  const parts = token.split('.', count + 1).map((part) => decodeCanonical(part, 'base64url'))
  const decoded = parts.filter((part) => part !== undefined)
  if (decoded.length !== count || parts.length !== count) refuse(`not ${count} base64url parts`)
  return decoded
}

/**
 * A protected header with exactly these values. Extensions (`crit`, `zip`, `b64`) are not spoken here.
 * @throws AttestationError `cannot parse attestation: …`
 */
export function protectedHeader(
  part: Buffer | undefined,
  expected: Readonly<Record<string, string>>,
): JsonObject {
  const header = jsonObject(part, 'the header')
  for (const [name, value] of Object.entries(expected)) {
    if (header[name] !== value) refuse(`${name} is not ${value}`)
  }
  for (const name of ['crit', 'zip', 'b64']) {
    if (Object.hasOwn(header, name)) refuse(`${name} is not supported`)
  }
  return header
}

/** @throws AttestationError `cannot parse attestation: …` */
export function jsonObject(bytes: Uint8Array | undefined, what: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new AttestationError(REASONS.malformed(`${what} is not JSON`), { cause })
  }
  return asObject(value) ?? refuse(`${what} is not an object`)
}

/** The value as a JSON object, `undefined` for anything else. */
export function asObject(value: unknown): JsonObject | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // A parsed JSON object: its keys are strings, its values anything.
  return isObject ? (value as JsonObject) : undefined
}

/**
 * The bytes of `text`, or `undefined` unless it is exactly what encoding them gives: no blanks, no other alphabet,
 * padding as the alphabet has it, no stray bits at the end. So no two texts stand for the same bytes.
 */
export function decodeCanonical(
  text: unknown,
  encoding: 'base64' | 'base64url',
): Buffer<ArrayBuffer> | undefined {
  if (typeof text !== 'string') return undefined
  const bytes = Buffer.from(text, encoding)
  return bytes.toString(encoding) === text ? bytes : undefined
}

function refuse(why: string): never {
  throw new AttestationError(REASONS.malformed(why))
}
