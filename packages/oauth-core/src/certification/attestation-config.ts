import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@svc/platform'
import {
  defineOptions,
  flag,
  group,
  list,
  milliseconds,
  oneOf,
  type Option,
  type OptionsFor,
  text,
} from '@svc/platform/options'
import { decodeCanonical } from './jose-parts.ts'
import { APPLE_ROOTS, GOOGLE_ROOTS } from './trust-roots.ts'

const MAX_ENTRIES = 32
const PACKAGE_NAME = '^[A-Za-z][A-Za-z0-9_]*(?:\\.[A-Za-z][A-Za-z0-9_]*)+$'
const APPLE_APP_ID = '^[A-Z0-9]{10}\\.[A-Za-z0-9.-]{1,155}$'
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Which apps the owner's platform vouches for. No lists: every attestation fails. @see oauth.md 4.2 */
export interface FlagshipOptions {
  /** Android package names, at most 32. @defaultValue none */
  readonly apkPackageNames?: readonly string[]
  /** SHA-256 of the certificates that sign the Android app, standard base64. @defaultValue none */
  readonly apkCertificateDigests?: readonly string[]
  /** AES-256 keys of Play Integrity, standard base64; all are tried. @defaultValue none */
  readonly playIntegrityDecryptionKeys?: readonly string[]
  /** P-256 public keys (SPKI) of Play Integrity, standard base64; all are tried. @defaultValue none */
  readonly playIntegrityVerificationKeys?: readonly string[]
  /** `TEAMID.bundle`. @defaultValue none */
  readonly appleAppIds?: readonly string[]
  /** Which of Apple's environments attests; the other one never passes. @defaultValue `production` */
  readonly appleEnvironment?: AppleEnvironment
  /** Instead of the roots pinned in this package: PEM, one or more certificates each. */
  readonly trustRoots?: {
    /** Above App Attest certificates. @defaultValue Apple App Attestation Root CA */
    readonly apple?: readonly string[]
    /** Above `attest.android.com`. @defaultValue GTS Root R1, GlobalSign Root CA (R1 and R2) */
    readonly google?: readonly string[]
  }
  /** Age of Google's tokens, 1 second to 7 days. Milliseconds. @defaultValue `600_000` */
  readonly maxTokenAgeMs?: number
  /** Every client counts as certified: for development only. @defaultValue `false` */
  readonly skipCertification?: boolean
}

/** Where an app was built for: the store, or a developer's own device. */
export type AppleEnvironment = 'production' | 'development'

/** {@link FlagshipOptions}, checked and parsed once. */
export interface FlagshipConfig {
  readonly apkPackageNames: readonly string[]
  /** SHA-256 digests, 32 bytes each. */
  readonly apkCertificateDigests: readonly Buffer[]
  readonly playIntegrityDecryptionKeys: readonly Uint8Array[]
  readonly playIntegrityVerificationKeys: readonly KeyObject[]
  readonly appleAppIds: readonly string[]
  readonly appleEnvironment: AppleEnvironment
  readonly trustRoots: {
    readonly apple: readonly X509Certificate[]
    readonly google: readonly X509Certificate[]
  }
  readonly maxTokenAgeMs: number
  readonly skipCertification: boolean
}

/** The option `flagship`. */
export function flagshipOptions(): Option<FlagshipOptions, FlagshipConfig, false> {
  const digest = text('a SHA-256 digest in standard base64', {}).as(parse32Bytes)
  const aesKey = text('an AES-256 key in standard base64', {}).as(parse32Bytes)
  const verificationKey = text('a P-256 public key (SPKI) in standard base64', {}).as(parseP256Key)
  const packageName = text('an Android package name', { pattern: PACKAGE_NAME, maxLength: 255 })
  return group({
    apkPackageNames: list(packageName, MAX_ENTRIES).or([], 'none'),
    apkCertificateDigests: list(digest, MAX_ENTRIES).or([], 'none'),
    playIntegrityDecryptionKeys: list(aesKey, MAX_ENTRIES).or([], 'none'),
    playIntegrityVerificationKeys: list(verificationKey, MAX_ENTRIES).or([], 'none'),
    appleAppIds: list(text('TEAMID.bundle', { pattern: APPLE_APP_ID }), MAX_ENTRIES).or([], 'none'),
    appleEnvironment: oneOf(['production', 'development']).or('production'),
    trustRoots: group({
      apple: trustRoots().orFrom(() => rootsOf(APPLE_ROOTS), 'Apple App Attestation Root CA'),
      google: trustRoots().orFrom(
        () => rootsOf(GOOGLE_ROOTS),
        'GTS Root R1, GlobalSign Root CA (R1 and R2)',
      ),
    }),
    maxTokenAgeMs: milliseconds(SECOND_MS, 7 * DAY_MS).or(10 * MINUTE_MS),
    skipCertification: flag().or(false),
  } satisfies OptionsFor<FlagshipOptions>)
}

function trustRoots(): Option<readonly string[], readonly X509Certificate[]> {
  const pem = text('PEM of certificates of authorities', {}).as(parseRoots)
  return list(pem, MAX_ENTRIES).as((roots) => roots.flat())
}

function rootsOf(pems: readonly string[]): readonly X509Certificate[] {
  return pems.flatMap((pem) => parseRoots(pem) ?? [])
}

/**
 * Checks and parses the `flagship` options, for this package and for hosts that call the verifiers themselves.
 * @throws TypeError listing every fault with its path, as `options.flagship.…`; never a key
 * @example
 * const config = resolveFlagship({ apkPackageNames: ['io.example.app'] })
 */
export function resolveFlagship(options: FlagshipOptions = {}): FlagshipConfig {
  return defineOptions({ flagship: flagshipOptions() }).settle({ flagship: options }).flagship
}

function parse32Bytes(text: string): Buffer | undefined {
  const bytes = decodeCanonical(text, 'base64')
  return bytes?.length === 32 ? bytes : undefined
}

function parseP256Key(text: string): KeyObject | undefined {
  const der = decodeCanonical(text, 'base64')
  if (der === undefined) return undefined
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}

function parseRoots(pem: string): X509Certificate[] | undefined {
  const blocks = pem.match(PEM) ?? []
  if (blocks.length !== pem.split('-----BEGIN').length - 1) return undefined
  try {
    const roots = blocks.map((block) => new X509Certificate(block))
    return roots.length > 0 && roots.every((root) => root.ca) ? roots : undefined
  } catch {
    return undefined
  }
}
