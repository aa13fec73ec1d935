import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import type { Instance } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import {
  type BrowserClient,
  type BrowserResponse,
  browserClient,
  needsRedis,
  relyingParty,
} from '@svc/testkit'
import { expect } from 'chai'
import type { UiProcessArguments } from '../support/ui-process.ts'
import { ALICE, createAlice, LOGIN_VALUE, startUi, type UiServer } from '../support/ui-server.ts'

const APP = 'https://drive.alice.example.com'

describe('codes that log in, used at once from two processes of the system', function () {
  this.timeout(30_000)
  let redis: RedisServer
  let store: Store
  let children: ChildProcess[]
  let ports: number[]
  let server: UiServer
  let instance: Instance
  let client: { client_id: string; client_secret: unknown }

  before(async function () {
    needsRedis(this)
    redis = await startRedisServer()
    const key = randomBytes(32)
    const told: UiProcessArguments = { url: redis.url, key: key.toString('base64') }
    const program = path.join(import.meta.dirname, '../support/ui-process.ts')
    children = [1, 2].map(() => fork(program, [JSON.stringify(told)]))
    ports = await Promise.all(
      children.map(async (child) => Number((await once(child, 'message'))[0])),
    )
    store = redisStore({ url: redis.url })
    server = await startUi({ store, key })
    ;({ instance } = await createAlice(server))
    await server.ui.owners.setMagicLink(instance, true)
    const party = relyingParty({ issuer: ALICE, port: server.port })
    const { client_id, client_secret } = await party.register()
    client = { client_id, client_secret }
  })
  after(async () => {
    for (const child of children ?? []) {
      if (child.exitCode !== null) continue
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    }
    await server?.close()
    await store?.close()
    await redis?.stop()
  })

  /** 50 requests, each from a browser of its own, half of them to each process. */
  function rush(
    send: (browser: BrowserClient, at: number) => Promise<BrowserResponse>,
  ): Promise<BrowserResponse[]> {
    return Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        send(browserClient({ base: ALICE, port: ports[at % 2] ?? 0 }), at),
      ),
    )
  }

  function expectOne(answers: readonly BrowserResponse[], others: readonly number[]): void {
    const winners = answers.filter(
      (answer) => answer.status === 202 || answer.setCookie('svcsessid') !== undefined,
    )
    expect(winners).to.have.lengthOf(1)
    for (const answer of answers) {
      if (answer !== winners[0]) expect(answer.status).to.be.oneOf([...others])
    }
  }

  it('one of 50 uses of a session code wins', async () => {
    const code = await server.ui.owners.createSessionCode(instance)
    expectOne(await rush((browser) => browser.get(`${APP}/?session_code=${code}`)), [302])
  })

  it('one of 50 uses of a magic code wins', async () => {
    const { code } = await server.ui.owners.createMagicLinkCode(instance)
    const answers = await rush((browser, at) =>
      at % 4 < 2
        ? browser.post('/auth/magic_link/open', { code })
        : browser.postJson('/auth/magic_link/flagship', { ...client, magic_code: code }),
    )
    expectOne(answers, [401])
  })

  it('one of 50 uses of an email_verified_code wins', async () => {
    await server.ui.owners.setAuthMode(instance, 'two_factor_mail')
    const email_verified_code = await server.ui.owners.createEmailVerifiedCode(instance)
    const answers = await rush((browser) =>
      browser.postJson('/auth/login/flagship', {
        ...{ ...client, email_verified_code },
        passphrase: LOGIN_VALUE,
      }),
    )
    expectOne(answers, [401])
  })
})
