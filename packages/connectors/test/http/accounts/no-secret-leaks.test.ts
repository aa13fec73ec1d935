import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect } from 'node:util'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { startRedisServer } from '@svc/store/testing'
import type { Store } from '@svc/store'
import { needsRedis } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { connect } from '../../support/flow-steps.ts'
import { type RefreshServer, startRefresh } from '../../support/refresh-server.ts'

/** As the provider makes its access tokens, refresh tokens and codes. */
const OF_PROVIDER = /(?:at|rt|code)-of-provider-[\w-]{22}/g
const CLIENT_SECRET = 'the-client-secret-of-this-test'
const RESULT = 'a-secret-among-the-callback-results'

interface Answer {
  readonly asked: string
  readonly status: number
  readonly text: string
}

/** Koa's context, as far as it matters here. */
interface Seen {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: unknown
  readonly response: { readonly headers: Readonly<Record<string, unknown>> }
}

/** What a full run of everything leaves in every place it could. */
interface Traces {
  readonly answers: readonly Answer[]
  readonly events: readonly string[]
  readonly errors: readonly string[]
  readonly server: RefreshServer
  /** Tokens that the provider saw in requests: what had to be kept for it. */
  readonly issued: readonly string[]
}

async function runEverything(store: Store, servers: RefreshServer[]): Promise<Traces> {
  const answers: Answer[] = []
  const events: string[] = []
  const errors: string[] = []
  const server = await startRefresh({
    store,
    provider: { clientSecret: CLIENT_SECRET },
    observe: async (ctx: Seen, next: () => Promise<void>) => {
      await next()
      const { headers } = ctx.response
      const asked = `${ctx.method} ${ctx.path}`
      answers.push({
        asked,
        status: ctx.status,
        text: `${JSON.stringify(headers)}${inspect(ctx.body)}`,
      })
    },
  })
  servers.push(server)
  for (const name of [
    ...(['account.connected', 'account.refreshed', 'account.reconnect_required'] as const),
    'account.disconnected' as const,
  ]) {
    server.connectors.on(name, (event) => events.push(inspect({ name, event }, { depth: 20 })))
  }
  const issued: string[] = []

  async function connectAt(at: string): Promise<string> {
    const told = await connect(server.browser(), at, (answer) => {
      issued.push(String(answer.get('code')))
    })
    return String(told.get('account'))
  }
  async function failing(work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      errors.push(inspect(error, { depth: 20, showHidden: true }))
    }
  }
  const stored = (id: string): Promise<AccountDocument> => server.stored(id)

  await server.putType()
  const id = await connectAt('/accounts/bank/start?scope=files')
  server.provider.script('token', {
    body: { access_token: `at-of-provider-${'x'.repeat(22)}`, more: RESULT },
  })
  await connectAt(`/accounts/bank/${id}/reconnect?scope=files`)
  await connectAt(`/accounts/bank/${id}/reconnect?scope=files`)
  await server.refresh(id)
  await server.refresh(id, { query: '?force=true' })
  server.provider.script(
    'token',
    { status: 500 },
    { status: 400, body: { error: 'odd' } },
    { body: '<p>' },
  )
  for (let i = 0; i < 3; i += 1) await server.refresh(id)
  await server.fields(id)
  await server.connectors.view(server.alice, await stored(id), { kind: 'konnector', slug: 'bank' })
  for (const request of server.provider.requestsOf('token')) {
    issued.push(request.parameters['refresh_token'] ?? '')
  }
  server.provider.grants.revokeAll()
  await server.refresh(id)
  await server.refresh(id)
  const other = await connectAt('/accounts/bank/start?scope=files')
  const broken = { ...(await stored(id)), oauth: (await stored(other)).oauth! }
  await server.accounts.update(server.alice, broken)
  await failing(server.fields(id))
  await server.refresh(id)
  await server.putImported()
  const imported = await server.importBank({ expiresAt: 1 })
  issued.push(
    ...server.issued.flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]),
  )
  server.provider.script('token', { status: 500 })
  await failing(server.fields(imported._id))
  await failing(
    server.connectors.importAccount(server.alice, {
      accountType: 'nobody',
      refreshToken: server.issued[0]?.refreshToken ?? '',
    }),
  )
  await failing(
    server.connectors.importAccount(server.alice, {
      accountType: 'bank',
      refreshToken: `rt-of-provider-${'y'.repeat(22)}\n`,
    }),
  )
  await server.remove(imported._id)
  return { answers, events, errors, server, issued: issued.filter((text) => text !== '') }
}

function secretsIn(text: string): readonly string[] {
  const found = text.match(OF_PROVIDER) ?? []
  return [...found, ...[CLIENT_SECRET, RESULT].filter((secret) => text.includes(secret))]
}

function lookEverywhere({ answers, events, errors, server, issued }: Traces): void {
  expect(new Set(issued).size, 'secrets there were').to.be.above(7)
  for (const { asked, status, text } of answers) {
    const mayHold = asked.endsWith('/refresh') && status === 200 ? /^at-/ : /^$/
    // A refresh answers its connector with the token and the callback results, and with nothing else.
    const wrong = secretsIn(text).filter(
      (each) =>
        !mayHold.test(each) && !(each === RESULT && status === 200 && asked.endsWith('/refresh')),
    )
    expect(wrong, `${asked} ${status}`).to.deep.equal([])
  }
  expect(
    answers.filter(({ status }) => status >= 400).map(({ status }) => status),
  ).to.include.members([401, 502])
  // What must be found where it may be shows that it would be found elsewhere.
  const shown = secretsIn(answers.map(({ text }) => text).join())
  expect(shown).to.have.lengthOf(2)
  expect(events.length).to.be.above(7)
  expect(errors).to.have.lengthOf(4)
  expect(server.heard.length).to.be.above(7)
  expect(server.logged.length).to.be.above(10)
  expect(secretsIn(events.join())).to.deep.equal([])
  expect(secretsIn(errors.join())).to.deep.equal([])
  expect(secretsIn(JSON.stringify(server.heard))).to.deep.equal([])
  expect(secretsIn(server.logged.join())).to.deep.equal([])
  const inside = inspect(server.connectors, { depth: 30, showHidden: true })
  expect(secretsIn(inside)).to.deep.equal([])
}

async function readAll(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(path.join(parentPath, name), 'latin1')),
  )
  return texts.join('\n')
}

/** Every write there ever was, as it lies on the disk. */
function lookAtDisk(written: string): void {
  expect(written).to.include('v1.test.').and.include('account-refresh')
  expect(secretsIn(written)).to.deep.equal([])
}

describe('secrets of providers, over everything that happens to accounts (3.3.3, 7.3, 13)', function () {
  this.timeout(20_000)
  const servers: RefreshServer[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
  })

  it('are in no answer but their own, no event, log line or error, and not on the disk of SQLite', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-leaks-'))
    const store = sqliteStore({ file: path.join(folder, 'store.db') })
    try {
      const traces = await runEverything(store, servers)
      lookEverywhere(traces)
      await servers.pop()?.close()
      lookAtDisk(await readAll(folder))
    } finally {
      await store.close()
      await rm(folder, { recursive: true })
    }
  })

  it('are in no answer but their own, no event, log line or error, and in no command to Redis', async function () {
    needsRedis(this)
    const redis = await startRedisServer()
    const store = redisStore({ url: redis.url })
    try {
      const traces = await runEverything(store, servers)
      lookEverywhere(traces)
      await servers.pop()?.close()
      lookAtDisk(await readAll(redis.dir))
    } finally {
      await store.close()
      await redis.stop()
    }
  })
})
