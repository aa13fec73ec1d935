import { MINUTE_MS } from '@svc/platform'
import {
  APK_CERTIFICATE_DIGEST,
  APK_PACKAGE_NAME,
  generateKeys,
  issueCertificate,
  makeSafetyNet,
  type SafetyNetOverrides,
} from '@svc/testkit/attestation'
import { expect } from 'chai'
import { verifySafetyNet } from '../../../src/certification/verify-safety-net.ts'
import { CHALLENGE, NOW, malformed, reasonOf, withPlatforms } from './reasons.ts'

describe('verifySafetyNet', () => {
  const given = withPlatforms()

  const make = (overrides: Partial<SafetyNetOverrides> = {}) =>
    makeSafetyNet(given.platforms, { challenge: CHALLENGE, ...overrides })
  const verify = (input: { attestation: string; challenge: string }, now = NOW) =>
    verifySafetyNet(input, given.config, { now })

  it('resolves to what Google vouches for', async () => {
    expect(await verify(await make())).to.deep.equal({
      packageName: APK_PACKAGE_NAME,
      certificateDigest: APK_CERTIFICATE_DIGEST,
      timestampMs: NOW,
    })
  })

  it('accepts a token up to its greatest age, and one of a clock a minute ahead', async () => {
    const made = await make()
    for (const now of [NOW + 11 * MINUTE_MS, NOW - MINUTE_MS]) {
      expect(await verify(made, now)).to.include({ timestampMs: NOW })
    }
    for (const now of [NOW + 11 * MINUTE_MS + 1, NOW - MINUTE_MS - 1]) {
      expect(await reasonOf(() => verify(made, now))).to.equal('invalid timestampMs')
    }
  })

  it('goes by the host, verdicts and skew it is given', async () => {
    const made = await make({
      leaf: { dnsNames: ['attest.example'] },
      claims: { ctsProfileMatch: false },
    })
    const checks = { now: NOW + 10 * MINUTE_MS, host: 'attest.example', verdicts: [], skewMs: 0 }
    expect(await verifySafetyNet(made, given.config, checks)).to.include({ timestampMs: NOW })
    const late = { ...checks, now: checks.now + 1 }
    expect(await reasonOf(() => verifySafetyNet(made, given.config, late))).to.equal(
      'invalid timestampMs',
    )
  })

  // What is refused over HTTP, too, is in http/attestation.test.ts.
  const notStandard = malformed('x5c is not standard base64')
  const otherHost = malformed('the certificate is not for attest.android.com')
  const digest = Buffer.from(APK_CERTIFICATE_DIGEST, 'base64').toString('base64url')
  const FAKE = 'org.example.flagship.fake'
  const claimed: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ nonce: '' }, 'missing nonce'],
    [{ nonce: 5 }, 'missing nonce'],
    [{ nonce: CHALLENGE.toLowerCase() }, 'invalid nonce'],
    [{ nonce: `${CHALLENGE}A` }, 'invalid nonce'],
    [{ timestampMs: undefined }, 'missing timestampMs'],
    [{ timestampMs: String(NOW) }, 'invalid timestampMs'],
    [{ timestampMs: NOW / 1000 }, 'invalid timestampMs'],
    [{ apkPackageName: FAKE }, `${FAKE} is not the package name of the flagship app`],
    [{ apkCertificateDigestSha256: [] }, 'missing apkCertificateDigestSha256'],
    [{ apkCertificateDigestSha256: [digest] }, 'invalid certificate digest'],
    [{ ctsProfileMatch: 'true' }, 'device integrity not met'],
    [{ basicIntegrity: undefined }, 'device integrity not met'],
  ]
  const refusals: readonly (readonly [Partial<SafetyNetOverrides>, string])[] = [
    ...claimed.map(([claims, reason]) => [{ claims }, reason] as const),
    [{ header: { x5c: [] } }, 'missing certification'],
    [{ header: { x5c: 'MII' } }, 'missing certification'],
    [{ header: { x5c: ['-_8'] } }, notStandard],
    [{ header: { x5c: [5] } }, notStandard],
    [{ header: { x5c: ['AAAA'] } }, malformed('a certificate is malformed')],
    [{ leaf: { dnsNames: [] } }, otherHost],
    [{ leaf: { dnsNames: ['*.android.com'] } }, otherHost],
    [
      { leaf: { purposes: ['1.3.6.1.5.5.7.3.4'] } },
      malformed('a certificate is for another purpose'),
    ],
  ]
  for (const [overrides, reason] of refusals) {
    it(`refuses ${JSON.stringify(overrides)}`, async () => {
      const made = await make(overrides)
      expect(await reasonOf(() => verify(made))).to.equal(reason)
    })
  }

  it('refuses other algorithms, and headers that change what is signed', async () => {
    const { attestation } = await make()
    const algorithms = ['none', 'HS256', 'RS384', 'PS256', 'rs256', undefined]
    for (const [header, why] of [
      ...algorithms.map((alg) => [{ alg }, 'alg is not RS256'] as const),
      ...['crit', 'b64', 'zip'].map((n) => [{ [n]: ['exp'] }, `${n} is not supported`] as const),
    ]) {
      const input = { attestation: withHeader(attestation, header), challenge: CHALLENGE }
      expect(await reasonOf(() => verify(input)), why).to.equal(malformed(why))
    }
  })

  it('refuses a token that another key signed', async () => {
    const recipe = { subject: 'CN=attest.android.com', now: NOW, keys: await generateKeys('RSA') }
    const made = await make({ signer: await issueCertificate(recipe) })
    expect(await reasonOf(() => verify(made))).to.equal(malformed('the signature is wrong'))
  })

  it('refuses a certificate whose key is of another kind', async () => {
    const recipe = {
      subject: 'CN=attest.android.com',
      now: NOW,
      keys: given.platforms.safetyNetKeys,
    }
    const made = await make({
      leaf: { keys: await generateKeys('P-256') },
      signer: await issueCertificate(recipe),
    })
    expect(await reasonOf(() => verify(made))).to.equal(malformed('the certificate has no RSA key'))
  })

  it('refuses text that is no token', async () => {
    const { attestation } = await make()
    const [header, payload, signature] = attestation.split('.')
    for (const [text, why] of [
      ['', 'empty'],
      ['a'.repeat(49_153), 'larger than 48 KiB'],
      [`${header}.${payload}`, 'not 3 base64url parts'],
      [`${attestation}.`, 'not 3 base64url parts'],
      [`${attestation}.*`, 'not 3 base64url parts'],
      [` ${attestation}`, 'not 3 base64url parts'],
      [`${header}.${payload}.${signature}=`, 'not 3 base64url parts'],
      [
        `${Buffer.from('{').toString('base64url')}.${payload}.${signature}`,
        'the header is not JSON',
      ],
      [`${Buffer.from('[]').toString('base64url')}.${payload}.`, 'the header is not an object'],
    ] as const) {
      const input = { attestation: text, challenge: CHALLENGE }
      expect(await reasonOf(() => verify(input))).to.equal(malformed(why))
    }
  })

  it('cuts a name it repeats', async () => {
    const made = await make({ claims: { apkPackageName: 'a'.repeat(5000) } })
    expect(await reasonOf(() => verify(made))).to.equal(
      `${'a'.repeat(255)} is not the package name of the flagship app`,
    )
  })
})

/** The token with other fields in its header, and the signature of the old one. */
function withHeader(token: string, fields: object): string {
  const [header = '', payload, signature] = token.split('.')
  const decoded: unknown = JSON.parse(Buffer.from(header, 'base64url').toString())
  const changed = JSON.stringify(Object.assign({}, decoded, fields))
  return [Buffer.from(changed).toString('base64url'), payload, signature].join('.')
}
