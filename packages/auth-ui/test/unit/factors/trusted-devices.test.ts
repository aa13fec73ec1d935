import { DAY_MS } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import { fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import {
  findTrustedDevice,
  listTrustedDevices,
  removeTrustedDevices,
  trustDevice,
} from '../../../src/factors/trusted-devices.ts'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'
import type { Owner } from '../../../src/owner/owner.ts'
import { sampleInstance } from '../../support/sample-instance.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const alice = sampleInstance()
// Only the stamp is read.
const owner = { securityStamp: 'now' } as Owner

describe('trusted devices', () => {
  const clock = fakeClock()
  const store = sqliteStore({ file: ':memory:', clock })
  const services = { store, clock, lifetimes: DEFAULT_LIFETIMES }
  after(() => store.close())
  afterEach(() => removeTrustedDevices(services, alice))

  it('are 50 at most: the one unused for longest goes', async () => {
    const first = await trustDevice(services, alice, owner, FIREFOX)
    clock.advance(1000)
    const second = await trustDevice(services, alice, owner, FIREFOX)
    clock.advance(DAY_MS)
    // Used a day later, so the second one is the one unused for longest.
    await findTrustedDevice(services, alice, owner, first)
    for (let n = 0; n < 48; n++) await trustDevice(services, alice, owner, FIREFOX)
    expect(await listTrustedDevices(services, alice, owner)).to.have.lengthOf(50)
    clock.advance(1000)
    await trustDevice(services, alice, owner, FIREFOX)
    expect(await listTrustedDevices(services, alice, owner)).to.have.lengthOf(50)
    expect(await findTrustedDevice(services, alice, owner, second)).to.equal(undefined)
    expect(await findTrustedDevice(services, alice, owner, first)).to.not.equal(undefined)
  })

  it('notes a use at most once a day, and keeps the end', async () => {
    const token = await trustDevice(services, alice, owner, FIREFOX)
    const [made] = await listTrustedDevices(services, alice, owner)
    clock.advance(DAY_MS - 60_000)
    await findTrustedDevice(services, alice, owner, token)
    expect((await listTrustedDevices(services, alice, owner))[0]?.lastUsed).to.equal(
      made?.createdAt,
    )
    clock.advance(60_000)
    await findTrustedDevice(services, alice, owner, token)
    const [used] = await listTrustedDevices(services, alice, owner)
    expect(used?.lastUsed).to.be.greaterThan(made?.createdAt ?? 0)
    clock.advance(89 * DAY_MS)
    expect(await findTrustedDevice(services, alice, owner, token)).to.equal(undefined)
    expect(await listTrustedDevices(services, alice, owner)).to.deep.equal([])
  })

  it('does not bring back a device that is removed while its use is noted', async () => {
    const token = await trustDevice(services, alice, owner, FIREFOX)
    clock.advance(2 * DAY_MS)
    await Promise.all([
      findTrustedDevice(services, alice, owner, token),
      removeTrustedDevices(services, alice),
    ])
    expect(await listTrustedDevices(services, alice, owner)).to.deep.equal([])
  })
})
