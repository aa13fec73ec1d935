import { sqliteStore } from '@svc/store/sqlite'
import type { Store } from '@svc/store'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  passkeyCreationOptions,
  passkeyRequestOptions,
  verifyAssertion,
  verifyRegistration,
} from '../../../src/factors/passkeys.ts'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'
import { newSecurityStamp, type Owner } from '../../../src/owner/owner.ts'
import { sampleInstance } from '../../support/sample-instance.ts'
import {
  foreignKey,
  softwareAuthenticator,
  type Tampering,
} from '../../support/software-authenticator.ts'

const ORIGIN = 'https://alice.example.com'
const CODE = 'c'.repeat(32)
const TOKEN = 't'.repeat(96)

describe('passkeys', () => {
  const instance = sampleInstance()
  const owner: Owner = {
    salt: 'me@alice.example.com',
    kdf: 0,
    iterations: 50_000,
    registerTokens: [],
    securityStamp: newSecurityStamp(0),
    createdAt: 0,
    updatedAt: 0,
  }
  let clock: FakeClock
  let store: Store
  let services: { store: Store; clock: FakeClock; lifetimes: typeof DEFAULT_LIFETIMES }
  beforeEach(() => {
    clock = fakeClock()
    store = sqliteStore({ file: ':memory:', clock })
    services = { store, clock, lifetimes: DEFAULT_LIFETIMES }
  })
  afterEach(() => store.close())

  async function register(tampering?: Tampering, confirmation = CODE) {
    const device = softwareAuthenticator(ORIGIN)
    const json = device.create(
      await passkeyCreationOptions(services, instance, owner, CODE),
      tampering,
    )
    return verifyRegistration(services, instance, owner, confirmation, { json, label: 'Key' })
  }

  async function enrolled(counter = 0) {
    const device = softwareAuthenticator(ORIGIN, counter)
    const json = device.create(await passkeyCreationOptions(services, instance, owner, CODE))
    const proven = await verifyRegistration(services, instance, owner, CODE, { json, label: 'Key' })
    if (proven === undefined) throw new Error('not registered')
    return { device, owner: { ...owner, factors: { passkeys: [proven.passkey] } } }
  }

  it('asks for a credential of the host, for three algorithms, without attestation', async () => {
    const options = await passkeyCreationOptions(
      services,
      sampleInstance({ domain: 'alice.localhost:8080', isHttps: false, publicName: 'Alice' }),
      { ...owner, factors: { passkeys: [{ ...PASSKEY, id: 'AAAA' }] } },
      CODE,
    )
    expect(options['rp']).to.deep.equal({ id: 'alice.localhost', name: 'Alice' })
    expect(options['attestation']).to.equal('none')
    expect(options['pubKeyCredParams']).to.deep.equal(
      [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
    )
    expect(options['authenticatorSelection']).to.include({
      residentKey: 'required',
      userVerification: 'required',
    })
    expect(options['excludeCredentials']).to.deep.include({
      id: 'AAAA',
      type: 'public-key',
      transports: ['usb'],
    })
  })

  it('takes what the browser made, and names the change that uses the challenge up', async () => {
    const startedAt = clock.now()
    const proven = await register()
    expect(proven?.passkey).to.include({ label: 'Key', counter: 0 })
    expect(proven?.passkey.createdAt).to.be.within(startedAt, clock.now())
    expect(proven?.passkey.transports).to.deep.equal(['internal'])
    if (proven === undefined) throw new Error('refused')
    expect((await store.write([proven.spent])).written).to.equal(true)
    expect((await store.write([proven.spent])).written).to.equal(false)
  })

  it('refuses a credential for another confirmation, owner, instance or time', async () => {
    expect(await register({}, 'd'.repeat(32))).to.equal(undefined)
    const device = softwareAuthenticator(ORIGIN)
    const options = await passkeyCreationOptions(services, instance, owner, CODE)
    const credential = { json: device.create(options), label: '' }
    const changed = { ...owner, securityStamp: newSecurityStamp(1) }
    expect(await verifyRegistration(services, instance, changed, CODE, credential)).to.equal(
      undefined,
    )
    const other = sampleInstance({ id: 'other' as typeof instance.id })
    expect(await verifyRegistration(services, other, owner, CODE, credential)).to.equal(undefined)
    clock.advance(DEFAULT_LIFETIMES.confirmCode + 1)
    expect(await verifyRegistration(services, instance, owner, CODE, credential)).to.equal(
      undefined,
    )
  })

  it('has nothing to ask an owner without passkeys', async () => {
    expect(await passkeyRequestOptions(instance, owner, TOKEN)).to.equal(undefined)
    expect(await verifyAssertion(services, instance, owner, TOKEN, '{}')).to.equal(undefined)
  })

  const assertions: readonly [what: string, tampering: Tampering][] = [
    ['signed on the host of an app', { origin: 'https://drive.alice.example.com' }],
    ['signed over plain http', { origin: 'http://alice.example.com' }],
    ['for another relying party', { rpId: 'example.com' }],
    ['for another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['that is a registration', { type: 'webauthn.create' }],
    ['signed in a frame', { crossOrigin: true }],
    ['signed without the owner', { userPresent: false }],
    ['with the counter as it was', { counter: 7 }],
    ['with a counter that went back', { counter: 3 }],
    ['with a counter that went back to nothing', { counter: 0 }],
    ['signed with a foreign key', { key: foreignKey() }],
    ['with a flipped bit', { flipsSignature: true }],
    ['of an unknown credential', { credentialId: 'AAAA' }],
    ['of another user', { userHandle: 'AAAA' }],
  ]
  for (const [what, tampering] of assertions) {
    it(`refuses an assertion ${what}`, async () => {
      const { device, owner: withKey } = await enrolled(7)
      const assertion = device.get(await asked(withKey), tampering)
      expect(await verifyAssertion(services, instance, withKey, TOKEN, assertion)).to.equal(
        undefined,
      )
    })
  }

  it('refuses an assertion for another token', async () => {
    const { device, owner: withKey } = await enrolled()
    const assertion = device.get(await asked(withKey))
    const other = 'u'.repeat(96)
    expect(await verifyAssertion(services, instance, withKey, other, assertion)).to.equal(undefined)
    expect(await verifyAssertion(services, instance, withKey, TOKEN, assertion)).to.not.equal(
      undefined,
    )
  })

  it('never throws, whatever comes from outside', async () => {
    const { device, owner: withKey } = await enrolled()
    const whole = JSON.parse(device.get(await asked(withKey))) as Record<string, unknown>
    const broken = fc.record({
      id: fc.constantFrom<unknown>(device.credentialId, '', null, 1, ['a']),
      rawId: fc.constantFrom<unknown>(device.credentialId, undefined, {}),
      type: fc.constantFrom<unknown>('public-key', 'x', null),
      response: fc.oneof(
        fc.jsonValue(),
        fc.record({
          clientDataJSON: fc.oneof(fc.base64String(), fc.constant(null)),
          authenticatorData: fc.base64String(),
          signature: fc.base64String(),
          attestationObject: fc.base64String(),
        }),
        fc.jsonValue().map((value) => ({ ...(whole['response'] as object), signature: value })),
      ),
    })
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      broken.map((value) => JSON.stringify(value)),
    )
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await verifyAssertion(services, instance, withKey, TOKEN, text)).to.equal(undefined)
        const credential = { json: text, label: '' }
        expect(await verifyRegistration(services, instance, owner, CODE, credential)).to.equal(
          undefined,
        )
      }),
      { numRuns: 300 },
    )
  })

  async function asked(withKey: Owner): Promise<Readonly<Record<string, unknown>>> {
    const options = await passkeyRequestOptions(instance, withKey, TOKEN)
    if (options === undefined) throw new Error('no passkeys')
    return options
  }
})

const PASSKEY = {
  id: '',
  publicKey: '',
  counter: 0,
  transports: ['usb'],
  label: '',
  createdAt: 0,
}
