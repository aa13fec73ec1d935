import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { recordKey, type Store } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import {
  type BrowserResponse,
  browserClient,
  needsRedis,
  type ScriptedAnswer,
  timeBudget,
  scaledLimit,
} from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import type { ConnectorsServerOptions } from '../../support/connectors-server.ts'
import type {
  RefreshProcessArguments,
  RefreshProcessReport,
} from '../../support/refresh-process.ts'
import { errorCode, refusalOf } from '../../support/flow-steps.ts'
import { type RefreshServer, startRefresh, tokenIn } from '../../support/refresh-server.ts'
import { until } from '../../support/until.ts'

const PROGRAM = path.join(import.meta.dirname, '../../support/refresh-process.ts')
/** Of a lock whose holder died; much shorter than a real one, and as long as a slow machine needs. */
const LOCK_MS = scaledLimit(900)
const LIFETIMES = {
  refreshLock: LOCK_MS,
  refreshWait: scaledLimit(3000),
  // The provider is still asked when somebody has waited for too long.
  call: timeBudget(10_000),
}

interface OtherProcess {
  readonly child: ChildProcess
  report(): Promise<RefreshProcessReport>
  refresh(query?: string): Promise<BrowserResponse>
  kill(): Promise<void>
}

describe('an account that is refreshed by several processes (8.2)', function () {
  this.timeout(20_000)
  let redis: RedisServer
  let store: Store
  let server: RefreshServer
  let account: AccountDocument
  let others: OtherProcess[]

  beforeEach(async function () {
    needsRedis(this)
    others = []
    redis = await startRedisServer()
    store = redisStore({ url: redis.url })
    await begin()
  })
  afterEach(async () => {
    for (const { kill } of others) await kill()
    await server?.close()
    await store?.close()
    await redis?.stop()
  })

  async function begin(provider: ConnectorsServerOptions['provider'] = {}): Promise<void> {
    server = await startRefresh({ store, provider, connectors: { lifetimes: LIFETIMES } })
    await server.putImported()
    account = await server.importBank()
  }

  async function startProcess(more: { readonly stalls?: boolean } = {}): Promise<OtherProcess> {
    const { alice } = server
    const told: RefreshProcessArguments = { url: redis.url, alice, lifetimes: LIFETIMES, ...more }
    const child = fork(PROGRAM, [JSON.stringify(told)])
    const [first] = (await once(child, 'message')) as [RefreshProcessReport]
    const browser = browserClient({ base: alice.origin, port: first.port })
    const token = await server.konnectorToken()
    const other: OtherProcess = {
      child,
      async report() {
        const answer = once(child, 'message')
        child.send('report')
        return (await answer)[0] as RefreshProcessReport
      },
      refresh: (query = '') =>
        browser.request('POST', `/accounts/bank/${account._id}/refresh${query}`, {
          headers: { authorization: `Bearer ${token}` },
        }),
      async kill() {
        if (child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      },
    }
    others.push(other)
    return other
  }

  /** 50 requests to each of two processes; the provider answers when all have come. */
  async function refreshTogether(answer?: ScriptedAnswer): Promise<BrowserResponse[]> {
    const pair = await Promise.all([startProcess(), startProcess()])
    if (answer !== undefined) server.provider.script('token', answer)
    const gate = server.provider.hold('token')
    const answering = Array.from({ length: 100 }, (_, i) => pair[i % 2]!.refresh())
    // Each reads the account once, the one that asks a second time under the lock.
    await until(async () => {
      const reports = await Promise.all(pair.map(({ report }) => report()))
      return reports.reduce((sum, { reads }) => sum + reads, 0) === 101
    })
    gate.open()
    return Promise.all(answering)
  }

  it('asks the provider once for 100 callers of two processes, who all get its token', async () => {
    const answers = await refreshTogether()
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(100).fill(200))
    expect(new Set(answers.map(tokenIn)).size).to.equal(1)
    expect(server.provider.requestsOf('token')).to.have.lengthOf(1)
    expect((await server.stored(account._id)).oauth?.refresh_seq).to.equal(1)
  })

  it('asks the provider once for 100 callers of two processes, who all get the same failure', async () => {
    const answers = await refreshTogether({ status: 429, headers: { 'retry-after': '40' } })
    const seen = answers.map((each) => [each.status, errorCode(each), each.headers['retry-after']])
    expect(new Set(seen.map(String))).to.deep.equal(new Set(['503,oauth_provider_rate_limited,40']))
    expect(server.provider.requestsOf('token')).to.have.lengthOf(1)
  })

  it('keeps its lock as long as the provider takes, however short the lock lives (8.2.3)', async () => {
    const [first, second] = await Promise.all([startProcess(), startProcess()])
    const gate = server.provider.hold('token')
    const answering = [first.refresh(), second.refresh()]
    await gate.arrived(1)
    const lock = recordKey(server.alice.id, 'account-lock', account._id)
    const endsAt = async (): Promise<number> => (await store.get(lock))?.expiresAt ?? 0
    const firstEnd = await endsAt()
    await until(async () => (await endsAt()) > firstEnd + 2 * LOCK_MS)
    gate.open()
    const answers = await Promise.all(answering)
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
    expect(server.provider.requestsOf('token')).to.have.lengthOf(1)
  })

  it('that waits too long answers 503, and is not refreshed by whoever waited (8.2.4)', async () => {
    const [first, second] = await Promise.all([startProcess(), startProcess()])
    const gate = server.provider.hold('token')
    const winner = first.refresh()
    await gate.arrived(1)
    const loser = await second.refresh()
    expect(refusalOf(loser)).to.deep.equal([503, 'oauth_refresh_in_progress'])
    expect(loser.headers['retry-after']).to.equal('5')
    gate.open()
    expect((await winner).status).to.equal(200)
    expect(server.provider.requestsOf('token')).to.have.lengthOf(1)
  })

  it('loses nothing when a process is killed before the provider answers (D38)', async () => {
    const doomed = await startProcess()
    const gate = server.provider.hold('token')
    // The provider does nothing with what a dead process asked.
    server.provider.script('token', (_, response) => void response.destroy())
    doomed.refresh().catch(() => {})
    await gate.arrived(1)
    await doomed.kill()
    gate.open()
    const answer = await server.refresh(account._id)
    expect(answer.status).to.equal(200)
    expect(server.provider.grants.isLive(String(tokenIn(answer)))).to.equal(true)
    expect((await server.fields(account._id))['access_token']).to.equal(tokenIn(answer))
    expect(server.logged.join()).to.include('account.refresh_interrupted')
  })

  /** Kills a process whose refresh the provider has done, before it hears of it. */
  async function killAfterProvider(): Promise<void> {
    const doomed = await startProcess()
    server.provider.script('token', async ({ parameters, client }, response) => {
      server.provider.grants.refresh(parameters['refresh_token'] ?? '', client.id ?? '')
      await doomed.kill()
      response.destroy()
    })
    await doomed.refresh().catch(() => {})
  }

  it('needs its owner when a process was killed after a provider that rotates answered (D38)', async () => {
    await killAfterProvider()
    const answer = await server.refresh(account._id)
    expect(refusalOf(answer)).to.deep.equal([401, 'oauth_refresh_invalid_token'])
    const { oauth } = await server.stored(account._id)
    expect(oauth?.status).to.equal('reconnect_required')
    expect(oauth?.refresh_token_encrypted).to.equal(account.oauth?.refresh_token_encrypted)
  })

  it('is refreshed once more when a process was killed after a provider that does not rotate answered (D38)', async () => {
    await server.close()
    await store.close()
    await redis.stop()
    redis = await startRedisServer()
    store = redisStore({ url: redis.url })
    await begin({ isRotating: false })
    await killAfterProvider()
    const answer = await server.refresh(account._id)
    expect(answer.status).to.equal(200)
    expect((await server.fields(account._id))['access_token']).to.equal(tokenIn(answer))
    expect(server.provider.grants.isLive(String(tokenIn(answer)))).to.equal(true)
  })

  it('has its tokens although the process that got them was killed before it wrote them into it (8.2.7)', async () => {
    const doomed = await startProcess({ stalls: true })
    doomed.refresh().catch(() => {})
    const kept = recordKey(server.alice.id, 'account-orphan', account._id)
    await until(async () => (await store.get(kept)) !== undefined)
    await doomed.kill()
    const token = (await server.fields(account._id))['access_token']
    expect(token).to.not.equal(server.issued[0]?.accessToken)
    expect(server.provider.grants.isLive(String(token))).to.equal(true)
    expect(await store.get(kept)).to.equal(undefined)
    expect(server.provider.requestsOf('token')).to.have.lengthOf(1)
    // The refresh token that came with it works: the provider would end the grant for the old one.
    expect((await server.refresh(account._id)).status).to.equal(200)
  })

  it('keeps its newer tokens when a process that stood still for long comes back with its own (D38)', async () => {
    const slow = await startProcess()
    const released = Promise.withResolvers<void>()
    const body = { access_token: 'too-late', refresh_token: 'too-late-as-well' }
    server.provider.script('token', async (_, response) => {
      await released.promise
      response.end(JSON.stringify(body))
    })
    const late = slow.refresh()
    await until(() => server.provider.requestsOf('token').length === 1)
    slow.child.kill('SIGSTOP')
    const answer = await server.refresh(account._id)
    expect(answer.status).to.equal(200)
    slow.child.kill('SIGCONT')
    released.resolve()
    // It answers with what there is, not with what it got.
    expect(tokenIn(await late)).to.equal(tokenIn(answer))
    expect((await server.fields(account._id))['access_token']).to.equal(tokenIn(answer))
    expect((await server.stored(account._id)).oauth?.refresh_seq).to.equal(1)
    expect(server.provider.requestsOf('token')).to.have.lengthOf(2)
  })

  it('fails closed while Redis is away: 503, and no provider is asked (8.2.10)', async () => {
    const token = await server.konnectorToken()
    // A first request, so that who calls is known without the store.
    await server.refresh(account._id, { token })
    redis.pause()
    const answer = await server.refresh(account._id, { token })
    redis.resume()
    expect(answer.status).to.equal(503)
    expect(Number(answer.headers['retry-after'])).to.be.at.least(1)
    expect(server.provider.requestsOf('token')).to.have.lengthOf(1)
  })

  it('gets its tokens into it although Redis went away while the provider was asked', async () => {
    const gate = server.provider.hold('token')
    const answering = server.refresh(account._id, { timeoutMs: 20_000 })
    await gate.arrived(1)
    await redis.kill()
    gate.open()
    await until(() => server.logged.some((line) => line.includes('account.tokens_waiting')))
    await redis.restart()
    const answer = await answering
    expect(answer.status).to.equal(200)
    expect((await server.fields(account._id))['access_token']).to.equal(tokenIn(answer))
    expect(server.provider.grants.isLive(String(tokenIn(answer)))).to.equal(true)
  })
})
