import { createSecretKey, randomBytes } from 'node:crypto'
import type { Json, Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import {
  createFlagshipCode,
  findFlagshipCode,
  type FlagshipCodeServices,
  redeemFlagshipCode,
} from '../../../src/certification/flagship-codes.ts'
import type { Client, ClientId } from '../../../src/clients/client.ts'
import { clientKey } from '../../../src/clients/client-record.ts'
import type { Instance, InstanceId, SigningKey } from '@svc/platform'

describe('flagship codes', () => {
  let store: Store
  let clock: FakeClock
  let secret: Buffer
  let services: FlagshipCodeServices
  // What the codes read of them.
  const instance = { id: 'alice' as InstanceId, domain: 'alice.example.com' } as Instance

  beforeEach(() => {
    clock = fakeClock()
    store = sqliteStore({ file: ':memory:', clock })
    secret = randomBytes(64)
    // Only this key is read.
    const keyring = {
      current: async () => ({ messageKey: createSecretKey(secret) }) as SigningKey,
    }
    services = { store, clock, keyring }
  })
  afterEach(() => store.close())

  async function stored(id: string, redirect = 'https://client.example/'): Promise<Client> {
    const value: Json = {}
    await store.write([{ op: 'put', key: clientKey(instance.id, id), value }])
    return { id: id as ClientId, metadata: { redirect_uris: [redirect] } } as unknown as Client
  }

  it('makes six digits, each time others, and keeps none of them', async () => {
    const seen = new Set<string>()
    for (let n = 0; n < 20; n += 1) {
      const client = await stored(`client${n}`)
      const made = await createFlagshipCode(services, instance, client)
      expect(made?.code).to.match(/^[0-9]{6}$/)
      seen.add(made?.code ?? '')
    }
    expect(seen.size).to.be.greaterThan(18)
  })

  it('finds the token of the form again, but of this client and this key alone', async () => {
    const client = await stored('one')
    const made = await createFlagshipCode(services, instance, client)
    const found = await findFlagshipCode(services, instance, client)
    expect(found).to.deep.equal({
      token: made?.token,
      expiresAt: made?.expiresAt,
      isRenewable: false,
    })
    const moved = await stored('one', 'https://other.example/')
    expect((await findFlagshipCode(services, instance, moved))?.token).to.not.equal(made?.token)
    secret = randomBytes(64)
    expect((await findFlagshipCode(services, instance, client))?.token).to.not.equal(made?.token)
    const answer = { token: made?.token ?? '', code: made?.code ?? '' }
    expect(await redeemFlagshipCode(services, instance, client, answer)).to.equal(false)
  })

  it('makes none for a client that is gone, and none before its time', async () => {
    const gone = { id: 'gone' as ClientId, metadata: { redirect_uris: [] } } as unknown as Client
    expect(await createFlagshipCode(services, instance, gone)).to.equal(undefined)
    const client = await stored('one')
    expect(await createFlagshipCode(services, instance, client)).to.not.equal(undefined)
    expect(await createFlagshipCode(services, instance, client)).to.equal(undefined)
    clock.advance(30_000)
    expect((await findFlagshipCode(services, instance, client))?.isRenewable).to.equal(true)
    expect(await createFlagshipCode(services, instance, client)).to.not.equal(undefined)
  })

  it('takes back what could not be mailed, but not what came after it', async () => {
    const client = await stored('one')
    const first = await createFlagshipCode(services, instance, client)
    await first?.drop()
    expect(await findFlagshipCode(services, instance, client)).to.equal(undefined)
    const second = await createFlagshipCode(services, instance, client)
    await first?.drop()
    expect((await findFlagshipCode(services, instance, client))?.token).to.equal(second?.token)
  })
})
