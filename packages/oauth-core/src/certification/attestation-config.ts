import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { DAY_MS, MINUTE_MS } from '@svc/platform'
import { decodeCanonical } from './base64.ts'
import { APPLE_ROOTS, GOOGLE_ROOTS } from './trust-roots.ts'

const WEEK_MS = 7 * DAY_MS
const MAX_ENTRIES = 32
const PACKAGE_NAME = /^[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)+$/
const APPLE_APP_ID = /^[A-Z0-9]{10}\.[A-Za-z0-9.-]{1,155}$/
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

/**
 * Checks and parses the `flagship` options, for this package and for hosts that call the verifiers themselves.
 * @throws TypeError listing every fault with its path, as `options.flagship.…`; never a key
 */
export function resolveFlagship(options: FlagshipOptions = {}): FlagshipConfig {
  const faults: string[] = []
  const fault = (path: string, text: string): void => {
    faults.push(`options.flagship${path} ${text}`)
  }
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options.flagship must be an object')
  }
  for (const name of Object.keys(options)) {
    if (!NAMES.has(name)) fault(`.${name}`, 'is not an option')
  }

  /** Each entry through `parse`; `undefined` from it is a fault. */
  function parseList<T>(
    path: string,
    list: unknown,
    what: string,
    parse: (entry: string) => T | undefined,
  ): T[] {
    if (list === undefined) return []
    if (!Array.isArray(list) || list.length > MAX_ENTRIES) {
      fault(path, `must be a list of at most ${MAX_ENTRIES} entries`)
      return []
    }
    return list.flatMap((entry: unknown, index) => {
      const parsed = typeof entry === 'string' ? parse(entry) : undefined
      if (parsed === undefined) fault(`${path}[${index}]`, `must be ${what}`)
      return parsed === undefined ? [] : [parsed]
    })
  }

  const { appleEnvironment = 'production', maxTokenAgeMs = 10 * MINUTE_MS } = options
  const { skipCertification = false } = options
  if (appleEnvironment !== 'production' && appleEnvironment !== 'development') {
    fault('.appleEnvironment', 'must be "production" or "development"')
  }
  if (!Number.isSafeInteger(maxTokenAgeMs) || maxTokenAgeMs < 1000 || maxTokenAgeMs > WEEK_MS) {
    fault('.maxTokenAgeMs', `must be a whole number from 1000 to ${WEEK_MS}`)
  }
  if (typeof skipCertification !== 'boolean') fault('.skipCertification', 'must be a boolean')
  const { apple = APPLE_ROOTS, google = GOOGLE_ROOTS } = options.trustRoots ?? {}
  const root = 'PEM of certificates of authorities'
  const digest = 'a SHA-256 digest in standard base64'
  const config: FlagshipConfig = {
    apkPackageNames: parseList(
      '.apkPackageNames',
      options.apkPackageNames,
      'an Android package name',
      (name) => (name.length <= 255 && PACKAGE_NAME.test(name) ? name : undefined),
    ),
    apkCertificateDigests: parseList(
      '.apkCertificateDigests',
      options.apkCertificateDigests,
      digest,
      parse32Bytes,
    ),
    playIntegrityDecryptionKeys: parseList(
      '.playIntegrityDecryptionKeys',
      options.playIntegrityDecryptionKeys,
      'an AES-256 key in standard base64',
      parse32Bytes,
    ),
    playIntegrityVerificationKeys: parseList(
      '.playIntegrityVerificationKeys',
      options.playIntegrityVerificationKeys,
      'a P-256 public key (SPKI) in standard base64',
      parseP256Key,
    ),
    appleAppIds: parseList('.appleAppIds', options.appleAppIds, 'TEAMID.bundle', (id) =>
      APPLE_APP_ID.test(id) ? id : undefined,
    ),
    appleEnvironment,
    trustRoots: {
      apple: parseList('.trustRoots.apple', apple, root, parseRoots).flat(),
      google: parseList('.trustRoots.google', google, root, parseRoots).flat(),
    },
    maxTokenAgeMs,
    skipCertification,
  }
  if (faults.length > 0) throw new TypeError(faults.join('\n'))
  return config
}

const NAMES: ReadonlySet<string> = new Set<keyof FlagshipOptions>([
  'apkPackageNames',
  'apkCertificateDigests',
  'playIntegrityDecryptionKeys',
  'playIntegrityVerificationKeys',
  'appleAppIds',
  'appleEnvironment',
  'trustRoots',
  'maxTokenAgeMs',
  'skipCertification',
])

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
