import { webcrypto } from 'node:crypto'
import { MINUTE_MS } from '@svc/platform'
import {
  APK_CERTIFICATE_DIGEST,
  APK_PACKAGE_NAME,
  generateKeys,
  makePlayIntegrity,
  type PlayIntegrityOverrides,
} from '@svc/testkit/attestation'
import { expect } from 'chai'
import { resolveFlagship } from '../../../src/certification/attestation-config.ts'
import { verifyPlayIntegrity } from '../../../src/certification/verify-play-integrity.ts'
import { CHALLENGE, NOW, malformed, reasonOf, withPlatforms } from './reasons.ts'

const OTHER_KEY = Buffer.alloc(32, 3)
const base64url = (text: string): string => Buffer.from(text, 'base64').toString('base64url')

describe('verifyPlayIntegrity', () => {
  const given = withPlatforms()

  const make = (overrides: Partial<PlayIntegrityOverrides> = {}) =>
    makePlayIntegrity(given.platforms, { challenge: CHALLENGE, ...overrides })
  const verify = (input: { attestation: string; challenge: string }, now = NOW) =>
    verifyPlayIntegrity(input, given.config, { now })

  it('resolves to what Google vouches for', async () => {
    expect(await verify(await make())).to.deep.equal({
      packageName: APK_PACKAGE_NAME,
      certificateDigest: base64url(APK_CERTIFICATE_DIGEST),
      timestampMs: NOW,
    })
  })

  it('accepts the digest in standard base64, and a request that names no package', async () => {
    const made = await make({
      app: { certificateSha256Digest: [APK_CERTIFICATE_DIGEST] },
      request: { requestPackageName: undefined },
    })
    expect(await verify(made)).to.include({ certificateDigest: APK_CERTIFICATE_DIGEST })
  })

  it('tries every key it has', async () => {
    const { publicKey } = await generateKeys('P-256')
    const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', publicKey)).toString('base64')
    const { playIntegrityDecryptionKeys, playIntegrityVerificationKeys } = given.platforms.flagship
    const many = resolveFlagship({
      ...given.platforms.flagship,
      playIntegrityDecryptionKeys: [OTHER_KEY.toString('base64'), ...playIntegrityDecryptionKeys],
      playIntegrityVerificationKeys: [spki, ...playIntegrityVerificationKeys],
    })
    const evidence = await verifyPlayIntegrity(await make(), many, { now: NOW })
    expect(evidence.timestampMs).to.equal(NOW)
  })

  it('accepts a token up to its greatest age, and one of a clock a minute ahead', async () => {
    const made = await make()
    for (const now of [NOW + 11 * MINUTE_MS, NOW - MINUTE_MS]) {
      expect(await verify(made, now)).to.include({ timestampMs: NOW })
    }
    for (const now of [NOW + 11 * MINUTE_MS + 1, NOW - MINUTE_MS - 1]) {
      expect(await reasonOf(() => verify(made, now))).to.equal(
        'invalid requestDetails.timestampMillis',
      )
    }
  })

  it('goes by the verdicts and the skew it is given', async () => {
    const made = await make({
      app: { appRecognitionVerdict: 'UNRECOGNIZED_VERSION' },
      device: { deviceRecognitionVerdict: ['MEETS_BASIC_INTEGRITY', 'MEETS_STRONG_INTEGRITY'] },
    })
    const checks = {
      now: NOW + 10 * MINUTE_MS,
      appVerdicts: ['PLAY_RECOGNIZED', 'UNRECOGNIZED_VERSION'],
      deviceVerdicts: ['MEETS_STRONG_INTEGRITY', 'MEETS_BASIC_INTEGRITY'],
      skewMs: 0,
    }
    expect(await verifyPlayIntegrity(made, given.config, checks)).to.include({ timestampMs: NOW })
    const late = { ...checks, now: checks.now + 1 }
    expect(await reasonOf(() => verifyPlayIntegrity(made, given.config, late))).to.equal(
      'invalid requestDetails.timestampMillis',
    )
  })

  const unsigned = malformed('no key verifies its signature')
  // What is refused over HTTP, too, is in http/attestation.test.ts.
  const wrapped = malformed('alg is not A256KW')
  const time = 'requestDetails.timestampMillis'
  const other = 'org.example.other'
  const padded = `${base64url(APK_CERTIFICATE_DIGEST)}=`
  const signed = (header: string, mac: string) =>
    `${base64urlOf(header)}.${base64urlOf('{}')}.${mac}`
  const refusals: readonly (readonly [Partial<PlayIntegrityOverrides>, string])[] = [
    [{ encryption: { enc: 'A256CBC-HS512' } }, malformed('enc is not A256GCM')],
    [{ encryption: { alg: 'A128KW', key: OTHER_KEY.subarray(16) } }, wrapped],
    [{ encryption: { alg: 'A256GCMKW' } }, wrapped],
    [{ encryption: { alg: 'dir' } }, wrapped],
    [{ plaintext: 'x' }, malformed('not 3 base64url parts')],
    [{ plaintext: signed('{"alg":"none"}', '') }, malformed('alg is not ES256')],
    [{ plaintext: signed('{"alg":"ES256"}', 'AAAA') }, unsigned],
    [{ claims: { requestDetails: undefined } }, 'missing nonce'],
    [{ claims: { requestDetails: [] } }, 'missing nonce'],
    [{ request: { nonce: `${CHALLENGE}=` } }, 'invalid nonce'],
    [{ request: { timestampMillis: undefined } }, `missing ${time}`],
    [{ request: { timestampMillis: NOW } }, `invalid ${time}`],
    [{ request: { timestampMillis: `${NOW}.5` } }, `invalid ${time}`],
    [{ claims: { appIntegrity: undefined } }, 'missing appIntegrity.packageName'],
    [{ app: { packageName: other } }, `${other} is not the package name of the flagship app`],
    [
      { app: { certificateSha256Digest: undefined } },
      'missing appIntegrity.certificateSha256Digest',
    ],
    [
      { app: { certificateSha256Digest: ['AAAA', APK_CERTIFICATE_DIGEST] } },
      'invalid certificate digest',
    ],
    [{ app: { certificateSha256Digest: [padded] } }, 'invalid certificate digest'],
    [{ app: { appRecognitionVerdict: undefined } }, 'app not recognized'],
    [{ app: { appRecognitionVerdict: 'UNEVALUATED' } }, 'app not recognized'],
    [{ claims: { deviceIntegrity: undefined } }, 'device integrity not met'],
    ...[['MEETS_BASIC_INTEGRITY'], 'MEETS_DEVICE_INTEGRITY'].map(
      (deviceRecognitionVerdict) =>
        [{ device: { deviceRecognitionVerdict } }, 'device integrity not met'] as const,
    ),
  ]
  for (const [overrides, reason] of refusals) {
    it(`refuses ${JSON.stringify(overrides)}`, async () => {
      const made = await make(overrides)
      expect(await reasonOf(() => verify(made))).to.equal(reason)
    })
  }

  it('refuses a token that another key signed', async () => {
    const { privateKey } = await generateKeys('P-256')
    const made = await make({ signature: { alg: 'ES256', key: privateKey } })
    expect(await reasonOf(() => verify(made))).to.equal(unsigned)
  })

  it('refuses the JWS without its encryption', async () => {
    const { attestation } = await make()
    const parts = attestation.split('.')
    for (const text of [
      parts.slice(0, 3).join('.'),
      parts.slice(0, 4).join('.'),
      `${attestation}.`,
    ]) {
      const input = { attestation: text, challenge: CHALLENGE }
      expect(await reasonOf(() => verify(input))).to.equal(malformed('not 5 base64url parts'))
    }
  })

  it('refuses compression, which hides how much there is to read', async () => {
    const [, ...rest] = (await make()).attestation.split('.')
    const header = base64urlOf('{"alg":"A256KW","enc":"A256GCM","zip":"DEF"}')
    const input = { attestation: [header, ...rest].join('.'), challenge: CHALLENGE }
    expect(await reasonOf(() => verify(input))).to.equal(malformed('zip is not supported'))
  })
})

function base64urlOf(text: string): string {
  return Buffer.from(text).toString('base64url')
}
