import { createHash, type KeyObject } from 'node:crypto'
import type { FlagshipConfig } from './attestation-config.ts'
import { AttestationError, REASONS, refuseMalformed } from './attestation-error.ts'
import { decodeCanonical } from './jose-parts.ts'
import { boundedAttestation, boundedChallenge } from './bounded-attestation.ts'

const NONCE_EXTENSION = '1.2.840.113635.100.8.2'
/** SEQUENCE, context tag 1, OCTET STRING of 32 bytes. */
const NONCE_PREFIX = Buffer.from('3024a1220420', 'hex')
/** All 16 bytes: the production value is filled up with zeros. */
const AAGUIDS = {
  production: Buffer.from('appattest\0\0\0\0\0\0\0', 'latin1'),
  development: Buffer.from('appattestdevelop', 'latin1'),
} as const

/** What an app on Apple's systems sends. */
export interface AppleAttestation {
  /** Standard base64 of the attestation object, at most 48 KiB. */
  readonly attestation: string
  /** The nonce it was made for. */
  readonly challenge: string
  /** SHA-256 of the attested public key, standard base64. */
  readonly keyId: string
}

/** What else {@link verifyAppAttest} goes by. */
export interface AppAttestChecks {
  /** Milliseconds since the epoch: when the chain has to be valid. */
  readonly now: number
}

/** What an App Attest object proved. */
export interface AppAttestEvidence {
  /** `TEAMID.bundle`. */
  readonly appId: string
  /** The attested key; a host may verify assertions with it. */
  readonly publicKey: KeyObject
  /** For Apple's service that rates the risk of a device; not looked at here. */
  readonly receipt: Buffer | undefined
}

/**
 * Checks an App Attest object: certificates of Apple about a key in the device, made for one app and one challenge.
 * @throws AttestationError with the reasons of `oauth.md` 4.5, and nothing else
 * @see oauth.md 4.5
 * @example
 * const config = resolveFlagship({ appleAppIds: ['ABCDE12345.io.example.app'] })
 * const { publicKey } = await verifyAppAttest({ attestation, challenge, keyId }, config, { now: Date.now() })
 */
export async function verifyAppAttest(
  input: AppleAttestation,
  config: FlagshipConfig,
  checks: AppAttestChecks,
): Promise<AppAttestEvidence> {
  // Most servers never see an attestation, and do without the parsers.
  const { verifyChain } = await import('./chain.ts')
  const { parseAttestationObject, parseAuthData } = await import('./attestation-object.ts')
  return refuseMalformed(() => {
    const challenge = boundedChallenge(input.challenge)
    const { x5c, authData, receipt } = parseAttestationObject(boundedAttestation(input.attestation))
    const { leaf, details } = verifyChain(x5c, { roots: config.trustRoots.apple, now: checks.now })
    const { rpIdHash, counter, aaguid, credentialId } = parseAuthData(authData)

    const nonce = sha256(authData, sha256(Buffer.from(challenge, 'utf8')))
    const extension = details.extension(NONCE_EXTENSION)
    requireThat(extension?.equals(Buffer.concat([NONCE_PREFIX, nonce])), 'nonce')
    const keyId = decodeCanonical(input.keyId, 'base64')
    const keyHash = sha256(uncompressedPoint(leaf.publicKey))
    requireThat(keyId?.equals(keyHash), 'keyId')
    const appId = config.appleAppIds.find((id) => sha256(Buffer.from(id)).equals(rpIdHash))
    requireThat(appId !== undefined, 'RP ID hash')
    requireThat(counter === 0, 'counter')
    requireThat(aaguid.equals(AAGUIDS[config.appleEnvironment]), 'aaguid')
    requireThat(credentialId.equals(keyHash), 'credentialId')
    return { appId, publicKey: leaf.publicKey, receipt }
  })
}

function requireThat(condition: boolean | undefined, field: string): asserts condition {
  if (condition !== true) throw new AttestationError(REASONS.invalid(field))
}

/** The key as `04 ‖ x ‖ y`; a key of another kind has no such point and fits no key id. */
function uncompressedPoint(key: KeyObject): Buffer {
  const { crv, x = '', y = '' } = key.export({ format: 'jwk' })
  requireThat(crv === 'P-256', 'keyId')
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}

function sha256(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
