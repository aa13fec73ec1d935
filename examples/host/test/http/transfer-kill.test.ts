import { createHash } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { indexKey, recordKey } from '@svc/store'
import { type RedisServer, sendToRedis, startRedisServer } from '@svc/store/testing'
import { loopbackFetch, needsRedis } from '@svc/testkit'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import { closeAfterTest, suiteFolder } from '../support/for-test.ts'
import { type HostProcess, spawnHost } from '../support/host-process.ts'
import { bytesOf } from '../support/moving-owner.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const DOMAIN = 'moved.example.net'
const TOKEN = 'test-admin-token-0123456789abcdef-0123'
const RECORDS = 6000
const KEYS = (name: string): string =>
  `${name}:${createHash('sha256').update(name).digest('base64')}`

describe('an import whose server is killed', function () {
  this.timeout(180_000)
  let redis: RedisServer
  let old: TestHost
  let file: Buffer
  let key: string
  const folder = suiteFolder()

  before(async function () {
    needsRedis(this)
    redis = await startRedisServer()
    old = await startTestHost({ SVC_KEYS: KEYS('old') }, DOMAIN)
    const { id } = old.instance
    for (let at = 0; at < RECORDS; at += 100) {
      await old.host.store.write(
        Array.from({ length: 100 }, (_, n) => {
          const slug = `made-${at + n}`
          const indexes = [{ index: indexKey(id, 'konnectors'), sort: slug }]
          const record = recordKey(id, 'installed-konnector', slug)
          return { op: 'put' as const, key: record, value: { slug }, indexes }
        }),
      )
    }
    const identity = await generateIdentity()
    key = Buffer.from(JSON.stringify({ identities: [identity] })).toString('base64url')
    const recipients = [await identityToRecipient(identity)]
    const chunks = old.host.app.oauth.transfer.exportInstance(id, { key: { recipients } })
    file = await bytesOf(chunks)
  })
  after(async () => {
    await old?.stop()
    await redis?.stop()
  })

  async function call(server: HostProcess, method: string, route: string, body?: Buffer) {
    const answer = await fetch(`http://127.0.0.1:${server.adminPort}${route}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && {
          'svc-import-key': key,
          'content-type': 'application/octet-stream',
        }),
      },
      ...(body !== undefined && { body: new Uint8Array(body) }),
    })
    const text = await answer.text()
    // As the routes answer.
    return { status: answer.status, ...(text !== '' && (JSON.parse(text) as { state?: string })) }
  }

  async function takeIn(server: HostProcess): Promise<string | undefined> {
    const begun = (await call(server, 'POST', '/imports', file)) as { import?: string } // as the route answers
    for (;;) {
      const { state } = await call(server, 'GET', `/imports/${begun.import}`)
      if (state !== 'running') return state
      await pause(20)
    }
  }

  interface Engine {
    readonly name: string
    env(): Record<string, string>
    /** Records of the instance that are stored now. */
    stored(dataDir: string): Promise<number>
  }
  const ENGINES: readonly Engine[] = [
    {
      name: 'the embedded store',
      env: () => ({}),
      async stored(dataDir) {
        const db = new DatabaseSync(path.join(dataDir, 'store.db'), { readOnly: true })
        const sql = `SELECT count(*) AS n FROM records WHERE key LIKE '{${old.instance.id}}:%'`
        const row = db.prepare(sql).get()
        db.close()
        return Number(row?.['n'])
      },
    },
    {
      name: 'Redis',
      env: () => ({ SVC_STORE: redis.url }),
      async stored() {
        const text = await sendToRedis(
          redis.port,
          `EVAL "return #redis.call('KEYS', '{${old.instance.id}}:[a-z]*')" 0`,
        )
        return Number(/\d+/.exec(text)?.[0])
      },
    },
  ]

  for (const engine of ENGINES) {
    for (const [part, isAborted] of [
      [0.05, true],
      [0.6, false],
    ] as const) {
      const end = isAborted ? 'is undone' : 'is repeated with the same file'
      it(`${end}, on ${engine.name}, after ${part * 100} % of it`, async () => {
        const dataDir = await mkdtemp(path.join(folder, 'data-'))
        const env = {
          SVC_DEMO: 'off',
          SVC_ADMIN_TOKEN: TOKEN,
          SVC_KEYS: KEYS('next'),
          ...engine.env(),
        }
        let server = await spawnHost({ dataDir, env })
        closeAfterTest(() => server.stop('SIGKILL'))
        const begun = call(server, 'POST', '/imports', file).catch(() => {})
        while ((await engine.stored(dataDir)) < RECORDS * part) await pause(2)
        await server.stop('SIGKILL')
        await begun
        expect(await engine.stored(dataDir)).to.be.lessThan(RECORDS, 'killed in the midst')
        server = await spawnHost({ dataDir, env })
        const visit = await loopbackFetch({ port: server.port })(`https://${DOMAIN}/auth/login`)
        expect(visit.status, 'nobody is served by a half of it').to.equal(503)
        if (isAborted) {
          const undone = await call(server, 'POST', `/instances/${DOMAIN}/abort-import`)
          expect(undone.status).to.equal(204)
          expect(await engine.stored(dataDir)).to.equal(0)
          expect(await takeIn(server), 'the domain is free again').to.equal('done')
        } else {
          expect(await takeIn(server)).to.equal('done')
        }
        expect(await engine.stored(dataDir)).to.be.at.least(RECORDS)
        const shown = await call(server, 'GET', `/instances/${DOMAIN}`)
        expect(shown, 'the space as it is shown').to.include({ status: 'active' })
        const removed = await call(server, 'DELETE', `/instances/${DOMAIN}`)
        expect(removed.status).to.be.lessThan(300)
      })
    }
  }
})
