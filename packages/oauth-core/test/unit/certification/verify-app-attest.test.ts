import { createHash } from 'node:crypto'
import {
  type AppAttestObject,
  type AppAttestOverrides,
  APPLE_APP_ID,
  encodeCbor,
  generateKeys,
  makeAppAttest,
  makePlatforms,
} from '@svc/testkit/attestation'
import { expect } from 'chai'
import { resolveFlagship } from '../../../src/certification/attestation-config.ts'
import {
  type AppleAttestation,
  verifyAppAttest,
} from '../../../src/certification/verify-app-attest.ts'
import { CHALLENGE, NOW, malformed, reasonOf, withPlatforms } from './reasons.ts'

const YEAR_MS = 365 * 86_400_000
const DEVELOPMENT = Buffer.from('appattestdevelop')
const OTHER_ID = Buffer.alloc(32, 5)

describe('verifyAppAttest', () => {
  const given = withPlatforms()

  const make = (overrides: Partial<AppAttestOverrides> = {}) =>
    makeAppAttest(given.platforms, { challenge: CHALLENGE, ...overrides })
  const verify = (input: AppleAttestation, now = NOW) =>
    verifyAppAttest(input, given.config, { now })

  it('resolves to the app, the key and the receipt', async () => {
    const made = await make()
    const { appId, publicKey, receipt } = await verify(made)
    expect(appId).to.equal(APPLE_APP_ID)
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const point = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
    const hash = createHash('sha256').update(Buffer.concat(point)).digest('base64')
    expect(hash).to.equal(made.keyId)
    expect(receipt).to.deep.equal(Buffer.alloc(24, 0x5a))
  })

  it('accepts what follows the credential id: a key, extensions after it, or nothing', async () => {
    const extensions = encodeCbor({ apple_bundle_version_01: '1.0' })
    const made = [
      await make({ authData: (data) => Buffer.concat([data, extensions]), flags: 0xc0 }),
      await make({ tail: Buffer.alloc(0) }),
    ]
    for (const attestation of made) {
      expect(await verify(attestation)).to.include({ appId: APPLE_APP_ID })
    }
  })

  it('accepts an object without a receipt, and one whose chain holds the root', async () => {
    const { intermediate, root } = given.platforms.apple
    const bare = await make({
      object: (object) => ({ ...object, attStmt: { x5c: object.attStmt.x5c } }),
    })
    expect((await verify(bare)).receipt).to.equal(undefined)
    const whole = await make({ x5c: (leaf) => [leaf, intermediate, root] })
    expect((await verify(whole)).appId).to.equal(APPLE_APP_ID)
  })

  it('accepts any of the listed apps', async () => {
    const appId = 'TEAM654321.org.example.second'
    const two = resolveFlagship({ ...given.platforms.flagship, appleAppIds: [APPLE_APP_ID, appId] })
    const evidence = await verifyAppAttest(await make({ appId }), two, { now: NOW })
    expect(evidence.appId).to.equal(appId)
  })

  it('accepts certificates that ended long ago when the clock is set to their time', async () => {
    const then = NOW - 5 * YEAR_MS
    const old = await makePlatforms(then)
    const made = await makeAppAttest(old, { challenge: CHALLENGE })
    const oldConfig = resolveFlagship(old.flagship)
    expect((await verifyAppAttest(made, oldConfig, { now: then })).appId).to.equal(APPLE_APP_ID)
    expect(await reasonOf(() => verifyAppAttest(made, oldConfig, { now: NOW }))).to.equal(
      malformed('a certificate is not valid now'),
    )
  })

  it('never lets one environment pass for the other', async () => {
    const [production, development] = [await make(), await make({ aaguid: DEVELOPMENT })]
    const options = { ...given.platforms.flagship, appleEnvironment: 'development' as const }
    const developmentConfig = resolveFlagship(options)
    const checks = { now: NOW }
    expect(await verifyAppAttest(development, developmentConfig, checks)).to.have.property('appId')
    expect(await reasonOf(() => verify(development))).to.equal('invalid aaguid')
    expect(await reasonOf(() => verifyAppAttest(production, developmentConfig, checks))).to.equal(
      'invalid aaguid',
    )
  })

  // What is refused over HTTP, too, is in http/attestation.test.ts.
  const nonce = 'invalid nonce'
  const object = (change: (made: AppAttestObject) => object) => ({ object: change })
  const statement = (attStmt: object) => object((made) => ({ ...made, attStmt }))
  const beside = malformed('attStmt has other members')
  const refusals: Readonly<
    Record<string, readonly [overrides: Partial<AppAttestOverrides>, reason: string]>
  > = {
    'a list': [object(() => []), malformed('not a map')],
    'no format': [object(({ fmt: _, ...made }) => made), 'invalid webauthn format'],
    'a receipt under another name': [
      object(({ attStmt: { x5c, receipt }, ...made }) => ({
        ...made,
        attStmt: { x5c, recaipt: receipt },
      })),
      beside,
    ],
    'another member beside the receipt': [
      object((made) => ({ ...made, attStmt: { ...made.attStmt, more: 1 } })),
      beside,
    ],
    'a receipt that is no bytes': [
      object((made) => ({ ...made, attStmt: { ...made.attStmt, receipt: 'Z'.repeat(24) } })),
      malformed('receipt is no bytes'),
    ],
    'no statement': [object(({ attStmt: _, ...made }) => made), malformed('attStmt is no map')],
    'authData as text': [
      object((made) => ({ ...made, authData: 'x'.repeat(100) })),
      malformed('authData is no bytes'),
    ],
    'no certificates': [statement({}), 'missing certification'],
    'a leaf alone': [{ x5c: (leaf) => [leaf] }, 'missing certification'],
    'certificates as text': [statement({ x5c: ['a', 'b'] }), malformed('x5c is not bytes')],
    'no attested credential': [{ flags: 0x80 }, malformed('authData has no credential')],
    'a credential id of 33 bytes': [{ credentialIdLength: 33 }, 'invalid credentialId'],
    'a credential id of 65535 bytes': [{ credentialIdLength: 65_535 }, 'invalid credentialId'],
    'another nonce': [{ nonce: () => der('3024a1220420', OTHER_ID) }, nonce],
    'a nonce in another structure': [{ nonce: (value) => der('3024a0220420', value) }, nonce],
    'a bare nonce': [{ nonce: (value) => value }, nonce],
    'more than the nonce': [{ nonce: (value) => der('3024a1220420', value, OTHER_ID) }, nonce],
    'the app of another team': [{ appId: 'TEAM654321.org.example.flagship' }, 'invalid RP ID hash'],
    'a counter of 2^24': [{ counter: 2 ** 24 }, 'invalid counter'],
    'nine bytes of the aaguid and others': [{ aaguid: filled('appattest', 1) }, 'invalid aaguid'],
    'no aaguid': [{ aaguid: Buffer.alloc(16) }, 'invalid aaguid'],
  }
  for (const [name, [overrides, reason]] of Object.entries(refusals)) {
    it(`refuses ${name}`, async () => {
      const made = await make(overrides)
      expect(await reasonOf(() => verify(made))).to.equal(reason)
    })
  }

  it('refuses the challenge of another attempt', async () => {
    const made = await make()
    const challenge = CHALLENGE.toLowerCase()
    expect(await reasonOf(() => verify({ ...made, challenge }))).to.equal(nonce)
  })

  it('refuses a key id that is not that of the key', async () => {
    const made = await make()
    const other = await make()
    const bytes = Buffer.from(made.keyId, 'base64')
    for (const keyId of [
      other.keyId,
      '',
      bytes.toString('base64url'),
      made.keyId.slice(0, -1),
      bytes.subarray(1).toString('base64'),
      bytes.toString('hex'),
    ]) {
      expect(await reasonOf(() => verify({ ...made, keyId }))).to.equal('invalid keyId')
    }
  })

  it('refuses a key of another kind', async () => {
    const keys = await generateKeys('P-384')
    const made = await make({ leaf: { keys } })
    expect(await reasonOf(() => verify(made))).to.equal('invalid keyId')
  })

  it('takes the credential certificate by its place', async () => {
    const { intermediate } = given.platforms.apple
    const made = await make({ x5c: (leaf) => [intermediate, leaf] })
    expect(await reasonOf(() => verify(made))).to.equal(
      malformed('the certificate chain ends at no trusted root'),
    )
  })

  it('refuses text that is no object', async () => {
    const made = await make()
    const bytes = Buffer.from(made.attestation, 'base64')
    for (const [attestation, why] of [
      ['', 'empty'],
      ['A'.repeat(49_156), 'larger than 48 KiB'],
      ['*', 'not standard base64'],
      [` ${made.attestation}`, 'not standard base64'],
      [bytes.subarray(0, -1).toString('base64'), 'not CBOR'],
      [Buffer.concat([bytes, Buffer.of(0)]).toString('base64'), 'not CBOR'],
      [Buffer.from('9a01e00000', 'hex').toString('base64'), 'not CBOR'],
      [Buffer.from('9f', 'hex').toString('base64'), 'not CBOR'],
      [Buffer.from('d81b8163466f6f', 'hex').toString('base64'), 'not CBOR'],
      [Buffer.alloc(36_000, 0x81).toString('base64'), 'not CBOR'],
    ] as const) {
      expect(await reasonOf(() => verify({ ...made, attestation }))).to.equal(malformed(why))
    }
  })

  it('trusts only Apple by default', async () => {
    const { appleAppIds } = given.platforms.flagship
    const made = await make()
    const pinned = resolveFlagship({ appleAppIds })
    expect(await reasonOf(() => verifyAppAttest(made, pinned, { now: NOW }))).to.equal(
      malformed('the certificate chain ends at no trusted root'),
    )
  })
})

function der(prefix: string, ...content: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(prefix, 'hex'), ...content])
}

function filled(text: string, filler: number): Buffer {
  return Buffer.concat([Buffer.from(text), Buffer.alloc(16 - text.length, filler)])
}
