import { webcrypto, X509Certificate } from 'node:crypto'
import { DAY_MS } from '@svc/platform'
import {
  type Authority,
  type CertificateRecipe,
  generateKeys,
  type IssuedCertificate,
  issueCertificate,
  type KeyPair,
  makeAuthority,
} from '@svc/testkit/attestation'
import { expect } from 'chai'
import { type ChainRules, verifyChain } from '../../../src/certification/chain.ts'
import { malformed, NOW, reasonOf } from './reasons.ts'

const PURPOSE = '1.3.6.1.5.5.7.3.1'
const MAIL = '1.3.6.1.5.5.7.3.4'
/** DER of a name constraint: only names below example.org. */
const NAME_CONSTRAINTS = Buffer.from('3011a00f300d820b6578616d706c652e6f7267', 'hex')
const NULL = Buffer.from('0500', 'hex')

describe('verifyChain', () => {
  let trusted: Authority
  let foreign: Authority
  let keys: KeyPair
  let weakKeys: KeyPair

  before(async () => {
    trusted = await makeAuthority('Trusted', 'P-384', NOW)
    // The same names, other keys.
    foreign = await makeAuthority('Trusted', 'P-384', NOW)
    keys = await generateKeys('P-256')
    weakKeys = await webcrypto.subtle.generateKey(
      {
        name: 'RSASSA-PKCS1-v1_5',
        hash: 'SHA-256',
        modulusLength: 1024,
        publicExponent: new Uint8Array([1, 0, 1]),
      },
      true,
      ['sign', 'verify'],
    )
  })

  const leafBelow = (issuer: IssuedCertificate, recipe: Partial<CertificateRecipe> = {}) =>
    issueCertificate({ subject: 'CN=Leaf', keys, now: NOW, ...recipe }, issuer)
  const authority = (recipe: Partial<CertificateRecipe> = {}, issuer = trusted.root) =>
    issueCertificate(
      { subject: 'CN=Other Authority', keys, now: NOW, isAuthority: true, ...recipe },
      issuer,
    )
  const verify = (path: readonly IssuedCertificate[], rules: Partial<ChainRules> = {}) =>
    verifyChain(
      path.map(({ der }) => der),
      { roots: [new X509Certificate(trusted.root.pem)], now: NOW, purpose: PURPOSE, ...rules },
    )

  it('follows a chain that ends below a root, one that holds it, and one without authorities', async () => {
    const leaf = await leafBelow(trusted.intermediate)
    const direct = await leafBelow(trusted.root)
    for (const path of [
      [leaf, trusted.intermediate],
      [leaf, trusted.intermediate, trusted.root],
      [direct],
      [direct, trusted.root],
    ]) {
      expect(verify(path).leaf.subject).to.equal('CN=Leaf')
    }
  })

  it('takes the root whose key signed among several of one name', async () => {
    const leaf = await leafBelow(trusted.intermediate)
    const roots = [foreign.root, trusted.root].map(({ pem }) => new X509Certificate(pem))
    expect(verify([leaf, trusted.intermediate], { roots }).leaf.subject).to.equal('CN=Leaf')
  })

  it('looks at no purpose unless one is asked for', async () => {
    const leaf = await leafBelow(trusted.root, { purposes: [MAIL] })
    const rules = { roots: [new X509Certificate(trusted.root.pem)], now: NOW }
    expect(verifyChain([leaf.der], rules).leaf.subject).to.equal('CN=Leaf')
  })

  it('accepts certificates for any purpose', async () => {
    const issuer = await authority({ purposes: ['2.5.29.37.0'] })
    const leaf = await leafBelow(issuer, { purposes: [MAIL, PURPOSE] })
    expect(verify([leaf, issuer]).leaf.subject).to.equal('CN=Leaf')
  })

  it('accepts the first and the last moment of every certificate', async () => {
    const leaf = await leafBelow(trusted.root, { notBefore: NOW - 5000, notAfter: NOW + 5000 })
    for (const now of [NOW - 5000, NOW + 5000]) {
      expect(verify([leaf], { now }).leaf.subject).to.equal('CN=Leaf')
    }
    for (const now of [NOW - 5001, NOW + 5001, Number.NaN]) {
      const reason = await reasonOf(() => verify([leaf], { now }))
      expect(reason).to.equal(malformed('a certificate is not valid now'))
    }
  })

  type Path = readonly IssuedCertificate[]
  const short = 'the certificate chain is too short'
  const long = 'the certificate chain is too long'
  const unsigned = 'a certificate is not signed by the next'
  const untrusted = 'the certificate chain ends at no trusted root'
  const outdated = 'a certificate is not valid now'
  const weak = 'a certificate is too weak'
  const constrained = 'a certificate has constraints that are not supported'
  const purpose = 'a certificate is for another purpose'
  const direct = async (recipe: Partial<CertificateRecipe>) => [
    await leafBelow(trusted.root, recipe),
  ]
  /** A leaf below an authority of its own, which is below another one. */
  const below = async (recipe: Partial<CertificateRecipe>, issuers = [trusted.root]) => {
    const issuer = await authority(recipe, issuers[0])
    return [await leafBelow(issuer), issuer, ...issuers.filter((one) => one !== trusted.root)]
  }
  const stranger = async (...above: readonly IssuedCertificate[]) => [
    await leafBelow(foreign.intermediate),
    ...above,
  ]
  const limits = [{ oid: '2.5.29.30', value: NAME_CONSTRAINTS }]
  const unknown = [{ oid: '1.2.3.4', value: NULL, critical: true }]
  const refusals: Readonly<Record<string, readonly [why: string, make: () => Promise<Path>]>> = {
    nothing: [short, async () => []],
    'the root alone': [short, async () => [trusted.root]],
    'nine certificates': [long, async () => Array.from({ length: 9 }, () => trusted.root)],
    'a root of the same name': [untrusted, () => stranger(foreign.intermediate)],
    'a root of the same name in the chain': [
      untrusted,
      () => stranger(foreign.intermediate, foreign.root),
    ],
    'an authority of the same name, below the right root': [
      unsigned,
      () => stranger(trusted.intermediate),
    ],
    'no authority in between': [untrusted, async () => [await leafBelow(trusted.intermediate)]],
    'certificates in another order': [
      untrusted,
      async () => [trusted.intermediate, await leafBelow(trusted.intermediate)],
    ],
    'a certificate that has no part in it': [
      unsigned,
      async () => [await leafBelow(trusted.intermediate), trusted.intermediate, await authority()],
    ],
    'an issuer that is no authority': [unsigned, () => below({ isAuthority: false })],
    'an issuer that is no authority, though its key is for certificates': [
      unsigned,
      () => below({ isAuthority: false, signsCertificates: true }),
    ],
    'an authority whose key is not for certificates': [
      unsigned,
      () => below({ signsCertificates: false }),
    ],
    'a leaf that has ended': [outdated, () => direct({ notAfter: NOW - 1000 })],
    'a leaf that has not begun': [outdated, () => direct({ notBefore: NOW + 1000 })],
    'an authority that has ended': [outdated, () => below({ notAfter: NOW - 1000 })],
    'an authority below one that allows none': [long, () => below({}, [trusted.intermediate])],
    'an authority with limits on names': [constrained, () => below({ extensions: limits })],
    'a critical extension that is not understood': [
      constrained,
      () => direct({ extensions: unknown }),
    ],
    'a leaf for mail': [purpose, () => direct({ purposes: [MAIL] })],
    'an authority for mail': [purpose, () => below({ purposes: [MAIL] })],
    'a signature with SHA-1': [weak, () => direct({ hash: 'SHA-1' })],
    'a key of 1024 bits': [weak, () => direct({ keys: weakKeys })],
  }
  for (const [name, [why, make]] of Object.entries(refusals)) {
    it(`refuses ${name}`, async () => {
      const path = await make()
      expect(await reasonOf(() => verify(path))).to.equal(malformed(why))
    })
  }

  it('refuses a root that has ended, and one with limits on names', async () => {
    const roots = [
      [await makeRoot({ notAfter: NOW - DAY_MS / 2 }), outdated],
      [await makeRoot({ extensions: limits }), 'the root does not allow this chain'],
    ] as const
    for (const [root, why] of roots) {
      const leaf = await leafBelow(root)
      const rules = { roots: [new X509Certificate(root.pem)] }
      expect(await reasonOf(() => verify([leaf], rules))).to.equal(malformed(why))
    }
  })

  it('refuses more authorities than the root allows', async () => {
    const root = await makeRoot({ pathLength: 0 })
    const issuer = await authority({}, root)
    const leaf = await leafBelow(issuer)
    const rules = { roots: [new X509Certificate(root.pem)] }
    const reason = await reasonOf(() => verify([leaf, issuer], rules))
    expect(reason).to.equal(malformed('the root does not allow this chain'))
  })

  it('refuses PEM, bytes after a certificate, and what is none', async () => {
    const { der, pem } = await leafBelow(trusted.root)
    for (const bytes of [Buffer.from(pem), Buffer.concat([der, NULL]), NULL, Buffer.alloc(0)]) {
      const rules = { roots: [new X509Certificate(trusted.root.pem)], now: NOW }
      const reason = await reasonOf(() => verifyChain([bytes], rules))
      expect(reason).to.equal(malformed('a certificate is malformed'))
    }
  })

  it('refuses everything when it trusts no root', async () => {
    const leaf = await leafBelow(trusted.root)
    const reason = await reasonOf(() => verify([leaf, trusted.root], { roots: [] }))
    expect(reason).to.equal(malformed(untrusted))
  })

  function makeRoot(recipe: Partial<CertificateRecipe>): Promise<IssuedCertificate> {
    return issueCertificate({ subject: 'CN=Root', keys, now: NOW, isAuthority: true, ...recipe })
  }
})
