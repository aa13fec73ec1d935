import { AttestationError, REASONS } from './attestation-error.ts'
import { decodeCanonical } from './jose-parts.ts'
import { decodeCbor } from './cbor.ts'

const MIN_AUTH_DATA_BYTES = 87
const CREDENTIAL_ID_BYTES = 32
const ATTESTED_CREDENTIAL = 0x40

/** An App Attest object, taken apart and not believed. @see oauth.md 4.5 */
export interface AttestationObject {
  /** DER, leaf first. */
  readonly x5c: readonly Buffer[]
  readonly authData: Buffer
  /** For Apple's own service, which rates the risk of a device. */
  readonly receipt: Buffer | undefined
}

/** The parts of `authData` this protocol fixes; a COSE key and extensions may follow. */
export interface AuthData {
  readonly rpIdHash: Buffer
  readonly counter: number
  readonly aaguid: Buffer
  readonly credentialId: Buffer
}

/**
 * Rule 1 and the shape of `x5c`.
 * @throws AttestationError `cannot parse attestation: …`, `invalid webauthn format`, `missing certification`
 */
export function parseAttestationObject(attestation: string): AttestationObject {
  const bytes = decodeCanonical(attestation, 'base64')
  if (bytes === undefined) throw new AttestationError(REASONS.malformed('not standard base64'))
  let decoded: unknown
  try {
    decoded = decodeCbor(bytes)
  } catch (cause) {
    throw new AttestationError(REASONS.malformed('not CBOR'), { cause })
  }
  const object = asMap(decoded)
  if (object === undefined) throw new AttestationError(REASONS.malformed('not a map'))
  if (object.get('fmt') !== 'apple-appattest') throw new AttestationError(REASONS.invalidFormat)
  const statement = asMap(object.get('attStmt'))
  if (statement === undefined) throw new AttestationError(REASONS.malformed('attStmt is no map'))
  const authData = asBytes(object.get('authData'))
  if (authData === undefined) throw new AttestationError(REASONS.malformed('authData is no bytes'))
  return {
    x5c: parseCertificates(statement.get('x5c')),
    authData,
    receipt: parseReceipt(statement),
  }
}

/** OPEN(0111): the bytes of a receipt are free, and nothing else: its name and type are fixed, and it is the only one. */
function parseReceipt(statement: ReadonlyMap<unknown, unknown>): Buffer | undefined {
  if ([...statement.keys()].some((name) => name !== 'x5c' && name !== 'receipt')) {
    throw new AttestationError(REASONS.malformed('attStmt has other members'))
  }
  if (!statement.has('receipt')) return undefined
  const receipt = asBytes(statement.get('receipt'))
  if (receipt === undefined) throw new AttestationError(REASONS.malformed('receipt is no bytes'))
  return receipt
}

/**
 * Rule 3.
 * @throws AttestationError `cannot parse attestation: …`, `invalid credentialId`
 */
export function parseAuthData(authData: Buffer): AuthData {
  if (authData.length < MIN_AUTH_DATA_BYTES) {
    throw new AttestationError(REASONS.malformed('authData is too short'))
  }
  if ((authData.readUInt8(32) & ATTESTED_CREDENTIAL) === 0) {
    throw new AttestationError(REASONS.malformed('authData has no credential'))
  }
  if (authData.readUInt16BE(53) !== CREDENTIAL_ID_BYTES) {
    throw new AttestationError(REASONS.invalid('credentialId'))
  }
  return {
    rpIdHash: authData.subarray(0, 32),
    counter: authData.readUInt32BE(33),
    aaguid: authData.subarray(37, 53),
    credentialId: authData.subarray(55, 55 + CREDENTIAL_ID_BYTES),
  }
}

function parseCertificates(x5c: unknown): readonly Buffer[] {
  // The leaf and the authority below Apple's root, at least.
  if (!Array.isArray(x5c) || x5c.length < 2) {
    throw new AttestationError(REASONS.missingCertification)
  }
  return x5c.map((certificate: unknown) => {
    const der = asBytes(certificate)
    if (der === undefined) throw new AttestationError(REASONS.malformed('x5c is not bytes'))
    return der
  })
}

function asMap(value: unknown): ReadonlyMap<unknown, unknown> | undefined {
  return value instanceof Map ? value : undefined
}

function asBytes(value: unknown): Buffer | undefined {
  if (!(value instanceof Uint8Array)) return undefined
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}
