import { DAY_MS, type RouteContext } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import { fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { createTrustedDevices } from '../../../src/factors/trusted-devices.ts'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'
import type { Owner } from '../../../src/owner/owner.ts'
import { sampleInstance } from '../../support/sample-instance.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const alice = sampleInstance()
// Only the stamp is read.
const owner = { securityStamp: 'now' } as Owner
const earlier = { securityStamp: 'before' } as Owner

/** Only the instance and this header are read. */
function request(userAgent: string, instance = alice): RouteContext {
  return { state: { instance }, get: () => userAgent } as unknown as RouteContext
}

describe('createTrustedDevices', () => {
  const clock = fakeClock()
  const store = sqliteStore({ file: ':memory:', clock })
  const devices = createTrustedDevices({ store, clock, lifetimes: DEFAULT_LIFETIMES })
  after(() => store.close())
  afterEach(() => devices.removeAll(alice))

  it('lists devices newest first, by a name that is no secret', async () => {
    const first = await devices.create(request(FIREFOX), owner)
    clock.advance(1000)
    const second = await devices.create(request(''), owner)
    const list = await devices.list(alice, owner)
    expect(list.map(({ label }) => label)).to.deep.equal(['', 'Firefox, Linux'])
    expect(list[1]).to.have.all.keys('id', 'label', 'createdAt', 'lastUsed')
    for (const token of [first, second]) expect(JSON.stringify(list)).not.to.include(token)
  })

  it('notes a use at most once a day, and keeps the end', async () => {
    const token = await devices.create(request(FIREFOX), owner)
    const [made] = await devices.list(alice, owner)
    clock.advance(DAY_MS - 60_000)
    await devices.find(alice, owner, token)
    expect((await devices.list(alice, owner))[0]?.lastUsed).to.equal(made?.createdAt)
    clock.advance(60_000)
    await devices.find(alice, owner, token)
    const [used] = await devices.list(alice, owner)
    expect(used?.lastUsed).to.be.greaterThan(made?.createdAt ?? 0)
    clock.advance(89 * DAY_MS)
    expect(await devices.find(alice, owner, token)).to.equal(undefined)
    expect(await devices.list(alice, owner)).to.deep.equal([])
  })

  it('finds and lists none of an earlier passphrase, or another instance', async () => {
    const token = await devices.create(request(FIREFOX), earlier)
    expect(await devices.find(alice, owner, token)).to.equal(undefined)
    expect(await devices.list(alice, owner)).to.deep.equal([])
    const bob = sampleInstance({ id: 'bob' as typeof alice.id })
    expect(await devices.find(bob, earlier, token)).to.equal(undefined)
  })

  it('removes one, once, and all', async () => {
    const tokens = [
      await devices.create(request(FIREFOX), owner),
      await devices.create(request(FIREFOX), owner),
    ]
    const [{ id } = { id: '' }] = await devices.list(alice, owner)
    expect(await devices.remove(alice, 'unknown')).to.equal(false)
    expect(await devices.remove(alice, id)).to.equal(true)
    expect(await devices.remove(alice, id)).to.equal(false)
    expect(await devices.list(alice, owner)).to.have.lengthOf(1)
    await devices.removeAll(alice)
    for (const token of tokens) expect(await devices.find(alice, owner, token)).to.equal(undefined)
  })

  it('does not bring back a device that is removed while its use is noted', async () => {
    const token = await devices.create(request(FIREFOX), owner)
    clock.advance(2 * DAY_MS)
    await Promise.all([devices.find(alice, owner, token), devices.removeAll(alice)])
    expect(await devices.list(alice, owner)).to.deep.equal([])
  })
})
