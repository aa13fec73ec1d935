import { generateKeyPairSync } from 'node:crypto'
import { issueCertificate, generateKeys } from '@svc/testkit/attestation'
import { expect } from 'chai'
import { resolveFlagship } from '../../../src/certification/attestation-config.ts'
import { NOW } from './reasons.ts'

const DIGEST = Buffer.alloc(32, 7).toString('base64')

function spki(namedCurve: string): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve })
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
}

describe('resolveFlagship', () => {
  it('parses digests, keys and roots once', async () => {
    const keys = await generateKeys('P-256')
    const recipe = { keys, now: NOW, isAuthority: true }
    const [one, two] = [
      await issueCertificate({ ...recipe, subject: 'CN=One' }),
      await issueCertificate({ ...recipe, subject: 'CN=Two' }),
    ]
    const config = resolveFlagship({
      apkPackageNames: ['org.example.app'],
      apkCertificateDigests: [DIGEST],
      playIntegrityDecryptionKeys: [DIGEST],
      playIntegrityVerificationKeys: [spki('prime256v1')],
      appleAppIds: ['TEAM123456.org.example.app'],
      appleEnvironment: 'development',
      trustRoots: { apple: [], google: [`${one.pem}\n${two.pem}\n`] },
      maxTokenAgeMs: 1000,
      skipCertification: true,
    })
    expect(config.apkCertificateDigests[0]?.toString('base64')).to.equal(DIGEST)
    expect(config.playIntegrityVerificationKeys[0]?.type).to.equal('public')
    expect(config.trustRoots.apple).to.deep.equal([])
    expect(config.trustRoots.google.map((root) => root.subject)).to.deep.equal(['CN=One', 'CN=Two'])
  })

  const many = Array.from({ length: 33 }, () => 'a.b')
  const url = Buffer.alloc(32, 0xfb).toString('base64url')
  const short = Buffer.alloc(16).toString('base64')
  const verifying = '.playIntegrityVerificationKeys[0]: must be'
  const faults: readonly (readonly [object, string])[] = [
    [{ packageNames: [] }, '.packageNames: unknown, did you mean apkPackageNames?'],
    [{ appleAppIds: 'a' }, '.appleAppIds: must be a list of at most 32'],
    [{ apkPackageNames: many }, '.apkPackageNames: must be a list of at most 32'],
    [{ apkPackageNames: ['app'] }, '.apkPackageNames[0]: must be'],
    [{ apkPackageNames: ['a.b', 5] }, '.apkPackageNames[1]: must be'],
    [
      { apkCertificateDigests: ['00'.repeat(32)] },
      '.apkCertificateDigests[0]: must be a SHA-256 digest in standard base64',
    ],
    [{ apkCertificateDigests: [url] }, '.apkCertificateDigests[0]: must be'],
    [
      { playIntegrityDecryptionKeys: [short] },
      '.playIntegrityDecryptionKeys[0]: must be an AES-256 key in standard base64',
    ],
    [
      { playIntegrityVerificationKeys: [spki('secp384r1')] },
      `${verifying} a P-256 public key (SPKI) in standard base64`,
    ],
    [{ playIntegrityVerificationKeys: [DIGEST] }, verifying],
    [{ appleAppIds: ['org.example'] }, '.appleAppIds[0]: must be'],
    [{ appleEnvironment: 'sandbox' }, '.appleEnvironment: must be'],
    [{ trustRoots: { apple: [DIGEST] } }, '.trustRoots.apple[0]: must be'],
    [
      { maxTokenAgeMs: 600 },
      '.maxTokenAgeMs: must be a whole number of milliseconds from 1000 to 604800000',
    ],
    [{ skipCertification: 'no' }, '.skipCertification: must be true or false'],
  ]
  for (const [options, message] of faults) {
    it(`refuses ${message.slice(0, 60)}`, () => {
      // Hosts without types can pass anything.
      expect(() => resolveFlagship(options as never)).to.throw(
        TypeError,
        `options.flagship${message}`,
      )
    })
  }

  it('refuses a root that is no authority, and PEM of which only a part is readable', async () => {
    const recipe = { subject: 'CN=Leaf', keys: await generateKeys('P-256'), now: NOW }
    const leaf = await issueCertificate(recipe)
    const root = await issueCertificate({ ...recipe, isAuthority: true })
    for (const pem of [leaf.pem, `${root.pem}\n-----BEGIN CERTIFICATE-----\nAA`]) {
      expect(() => resolveFlagship({ trustRoots: { google: [root.pem, pem] } })).to.throw(
        'options.flagship.trustRoots.google[1]: must be PEM of certificates of authorities',
      )
    }
  })

  it('repeats no key in what it says', () => {
    const key = Buffer.alloc(31, 9).toString('base64')
    expect(() => resolveFlagship({ playIntegrityDecryptionKeys: [key] })).to.throw(TypeError)
    try {
      resolveFlagship({ playIntegrityDecryptionKeys: [key] })
    } catch (error) {
      expect(String(error)).not.to.contain(key)
    }
  })
})
