import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Store } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import { type BrowserClient, browserClient, needsRedis, redisPatience } from '@svc/testkit'
import { expect } from 'chai'
import { after, before, beforeEach, describe, it } from 'mocha'
import type { ConnectorsProcessArguments } from '../support/connectors-process.ts'
import {
  CALLBACK_URL,
  type ConnectorsServer,
  startConnectors,
} from '../support/connectors-server.ts'
import { beginAndAllow, JSON_API } from '../support/flow-steps.ts'

const PROGRAM = path.join(import.meta.dirname, '../support/connectors-process.ts')
/** Few enough for the limit of unknown states. */
const AT_ONCE = 14

/** connectors.md 4.2 (2), 6.5; security.md 102 */
describe('one answer, brought at once to two processes of the system', function () {
  this.timeout(20_000)
  let redis: RedisServer
  let store: Store
  let server: ConnectorsServer
  let children: ChildProcess[]
  let ports: readonly number[]

  before(async function () {
    needsRedis(this)
    redis = await startRedisServer()
    store = redisStore({ url: redis.url, ...redisPatience() })
    server = await startConnectors({ store, connectors: { callbackUrl: CALLBACK_URL } })
    const { alice, bob } = server
    const told: ConnectorsProcessArguments = { url: redis.url, alice, bob }
    children = [1, 2].map(() => fork(PROGRAM, [JSON.stringify(told)]))
    ports = await Promise.all(
      children.map(async (child) => Number((await once(child, 'message'))[0])),
    )
  })
  after(async () => {
    for (const child of children ?? []) {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    }
    await server?.close()
    await store?.close()
    await redis?.stop()
  })
  let browser: BrowserClient
  let known: { readonly tokens: number; readonly accounts: number }
  beforeEach(async () => {
    await server.putType({
      redirect_uri: 'https://alice.example.com/accounts/bank/redirect',
    })
    browser = server.browser()
    const accounts = await server.accountsOf()
    known = {
      tokens: server.provider.requestsOf('token').length,
      accounts: accounts.length,
    }
  })

  /** The same visit by the same browser, half of them to each process. @returns statuses, sorted */
  async function rush(url: string): Promise<readonly number[]> {
    const cookie = browser.jar.getCookieStringSync('https://alice.example.com/')
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) => {
        const port = ports[at % 2] ?? 0
        const same = browserClient({ base: server.alice.origin, port, headers: { cookie } })
        return same.get(url, { headers: JSON_API })
      }),
    )
    return answers.map(({ status }) => status).sort()
  }

  const ONE_WINS = [302, ...Array<number>(AT_ONCE - 1).fill(400)]

  async function expectOneMore(): Promise<void> {
    expect(server.provider.requestsOf('token')).to.have.length(known.tokens + 1)
    expect(await server.accountsOf()).to.have.length(known.accounts + 1)
  }

  it('counts once on the instance', async () => {
    expect(await rush(await beginAndAllow(browser))).to.deep.equal(ONE_WINS)
    await expectOneMore()
  })

  it('makes one ticket on the callback host, which counts once', async () => {
    await server.putType()
    const url = await beginAndAllow(browser)
    expect(url.startsWith(CALLBACK_URL)).to.equal(true)
    const first = await browser.get(url)
    expect(await rush(url)).to.deep.equal(Array<number>(AT_ONCE).fill(400))
    expect(await rush(first.location ?? '')).to.deep.equal(ONE_WINS)
    await expectOneMore()
  })
})
