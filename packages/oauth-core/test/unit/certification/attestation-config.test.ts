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
  it('trusts the pinned roots and lists no app unless told otherwise', () => {
    const config = resolveFlagship()
    expect(config.apkPackageNames).to.deep.equal([])
    expect(config.apkCertificateDigests).to.deep.equal([])
    expect(config.playIntegrityDecryptionKeys).to.deep.equal([])
    expect(config.playIntegrityVerificationKeys).to.deep.equal([])
    expect(config.appleAppIds).to.deep.equal([])
    expect(config.appleEnvironment).to.equal('production')
    expect(config.maxTokenAgeMs).to.equal(600_000)
    expect(config.skipCertification).to.equal(false)
    expect(config.trustRoots.apple.map((root) => root.subject)).to.have.length(1)
    expect(config.trustRoots.google.map((root) => root.subject)).to.have.length(3)
  })

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

  const faults: readonly (readonly [string, object, string])[] = [
    [
      'an option it does not know',
      { packageNames: [] },
      '.packageNames: unknown, did you mean apkPackageNames?',
    ],
    ['a list that is none', { appleAppIds: 'a' }, '.appleAppIds: must be a list of at most 32'],
    [
      'more entries than are tried',
      { apkPackageNames: Array.from({ length: 33 }, () => 'a.b') },
      '.apkPackageNames: must be a list of at most 32',
    ],
    ['a package name without a dot', { apkPackageNames: ['app'] }, '.apkPackageNames[0]: must be'],
    [
      'a package name that is none',
      { apkPackageNames: ['a.b', 5] },
      '.apkPackageNames[1]: must be',
    ],
    [
      'a digest in hexadecimal',
      { apkCertificateDigests: ['00'.repeat(32)] },
      '.apkCertificateDigests[0]: must be a SHA-256 digest in standard base64',
    ],
    [
      'a digest in base64url',
      { apkCertificateDigests: [Buffer.alloc(32, 0xfb).toString('base64url')] },
      '.apkCertificateDigests[0]: must be',
    ],
    [
      'a short AES key',
      { playIntegrityDecryptionKeys: [Buffer.alloc(16).toString('base64')] },
      '.playIntegrityDecryptionKeys[0]: must be an AES-256 key in standard base64',
    ],
    [
      'a key of another curve',
      { playIntegrityVerificationKeys: [spki('secp384r1')] },
      '.playIntegrityVerificationKeys[0]: must be a P-256 public key (SPKI) in standard base64',
    ],
    [
      'a key that is none',
      { playIntegrityVerificationKeys: [DIGEST] },
      '.playIntegrityVerificationKeys[0]: must be',
    ],
    ['an app id without a team', { appleAppIds: ['org.example'] }, '.appleAppIds[0]: must be'],
    ['another environment', { appleEnvironment: 'sandbox' }, '.appleEnvironment: must be'],
    ['a root that is no PEM', { trustRoots: { apple: [DIGEST] } }, '.trustRoots.apple[0]: must be'],
    [
      'an age in seconds',
      { maxTokenAgeMs: 600 },
      '.maxTokenAgeMs: must be a whole number of milliseconds from 1000 to 604800000',
    ],
    [
      'a flag that is none',
      { skipCertification: 'no' },
      '.skipCertification: must be true or false',
    ],
  ]
  for (const [name, options, message] of faults) {
    it(`refuses ${name}, naming its path`, () => {
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
