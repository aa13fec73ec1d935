import { randomBytes } from 'node:crypto'
import { DAY_MS, HOUR_MS } from '@svc/platform'
import {
  type FakeClock,
  fakeClock,
  needsRedis,
  type RelyingParty,
  relyingParty,
  until,
} from '@svc/testkit'
import { expect } from 'chai'
import { testHost, testRedis } from '../support/for-test.ts'
import type { TestHost } from '../support/test-host.ts'
import { mailed, told, toldTimes } from '../support/told.ts'

const QUEUE = 'oauth-access-ends'
const SCOPE = 'io.svc.notes'
const KIND = 'access-ending'

/** @see owner.md 3.4; docs/decisions/0471 */
describe('what owners are told before an access ends', () => {
  let clock: FakeClock
  beforeEach(() => {
    clock = fakeClock()
  })

  const start = (
    env: Readonly<Record<string, string>> = {},
    domain = 'alice.example.com',
  ): Promise<TestHost> => testHost(env, domain, clock)

  async function allow(
    host: TestHost,
    duration: string,
    { scope = SCOPE, known }: { readonly scope?: string; readonly known?: RelyingParty } = {},
  ): Promise<RelyingParty> {
    const { origin } = host.instance
    const party = known ?? relyingParty({ issuer: origin, port: host.host.port })
    if (known === undefined) await party.register()
    const pending = await party.authorize({ scope })
    const owner = await host.browser()
    const page = await owner.get(pending.url)
    const fields = Object.fromEntries(page.page().form('/auth/authorize').fields)
    const { location = '' } = await owner.post('/auth/authorize', { ...fields, duration })
    await party.exchange(location, pending)
    return party
  }

  /** Has the client looked at now, in as many wake-ups. */
  async function look(host: TestHost, { client }: RelyingParty, times = 1): Promise<void> {
    for (let turn = 0; turn < times; turn += 1) {
      const id = `${host.instance.id}:${client.client_id}`
      await host.host.store.scheduler.at(QUEUE, id, clock.now() - turn)
    }
  }

  it('comes once for each end, by mail, with the place to extend it', async () => {
    const host = await start()
    const short = await allow(host, '1d')
    const synchronizing = await allow(host, '30d')
    clock.advance(27 * DAY_MS - HOUR_MS)
    await look(host, synchronizing)
    clock.advance(HOUR_MS)
    await look(host, short)
    await look(host, synchronizing, 5)
    await toldTimes(host, KIND, 1)
    const [notice] = await told(host, KIND)
    const id = synchronizing.client.client_id
    expect(notice).to.include({ categoryId: id, title: 'App access expires soon' })
    expect(notice?.message).to.match(
      /^“Relying party(-2)?” can use alice\.example\.com until \w+ \d+/,
    )
    const mail = await mailed(host, 'expires soon')
    expect(mail.subject).to.equal('An app’s access to alice.example.com expires soon')
    expect(mail.text).to.include(`https://settings.alice.example.com/?section=apps&highlight=${id}`)

    const { clients } = host.host.app.oauth
    await clients.changeAccess(host.instance, id, { duration: '30d' })
    clock.advance(26 * DAY_MS)
    await look(host, synchronizing)
    clock.advance(DAY_MS)
    await look(host, synchronizing, 5)
    await toldTimes(host, KIND, 2)
    const noted = () => host.log.filter(([event]) => event === 'client.access_ending').length
    await until(() => noted() === 2)
  })

  it('does not come for what a later permission gives as well, but for what it does not', async () => {
    const host = await start()
    const renewed = await allow(host, '30d')
    const grown = await allow(host, '30d')
    clock.advance(10 * DAY_MS)
    await allow(host, '30d', { known: renewed })
    await allow(host, '30d', { known: grown, scope: 'io.svc.contacts' })
    clock.advance(17 * DAY_MS)
    await look(host, renewed)
    await look(host, grown)
    await toldTimes(host, KIND, 1)
    expect((await told(host, KIND))[0]?.categoryId).to.equal(grown.client.client_id)
    clock.advance(10 * DAY_MS)
    await look(host, renewed)
    await look(host, grown)
    await toldTimes(host, KIND, 3)
  })

  it('comes once although two processes look at the same moment', async function () {
    needsRedis(this)
    this.timeout(30_000)
    const redis = await testRedis()
    const env = {
      SVC_STORE: redis.url,
      SVC_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    }
    const first = await start(env)
    const party = await allow(first, '30d')
    const other = await start(env, 'bob.example.com')
    clock.advance(27 * DAY_MS)
    await look(first, party, 20)
    await toldTimes(first, KIND, 1)
    const looked = (host: TestHost): number =>
      host.log.filter(([event]) => event === 'client.access_ending').length
    await until(() => looked(first) + looked(other) > 0)
    const { clients } = first.host.app.oauth
    await clients.changeAccess(first.instance, party.client.client_id, { duration: '30d' })
    clock.advance(27 * DAY_MS)
    await look(other, party, 20)
    await toldTimes(first, KIND, 2)
  })
})
