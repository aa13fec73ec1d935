import { RecordRegistry, findRecords } from '@svc/platform'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { eachStore, fakeClock, until } from '@svc/testkit'
import { expect } from 'chai'
import { type Config, loadConfig } from '../../../src/config/config.ts'
import { differentOptions, digestConfig } from '../../../src/processes/config-digest.ts'
import { ProcessHeartbeat } from '../../../src/processes/process-heartbeat.ts'
import { listProcesses, PROCESS_RECORD } from '../../../src/processes/process-record.ts'

const SECRET = 'smtps://user:hunter2-hunter2@mail.example'
const base = { SVC_STORE: 'redis://:hunter2-hunter2@127.0.0.1', SVC_SMTP_URL: SECRET }
const config = (env: Record<string, string> = {}): Config => loadConfig({ ...base, ...env })

describe('the record of a process', () => {
  eachStore((open) => {
    async function heartbeat(store: Awaited<ReturnType<typeof open>>, more = {}) {
      return new ProcessHeartbeat({
        config: config(),
        store,
        clock: { now: () => Date.now() },
        log: { warn: () => {} },
        keys: [{ kid: 'k2' }, { kid: 'k1' }],
        port: 8081,
        ...more,
      })
    }

    it('is there while the process runs, says when it drains, and goes with it', async () => {
      const store = await open()
      const one = await heartbeat(store)
      const other = await heartbeat(store, { port: 8082 })
      await one.start()
      await other.start()
      const both = await listProcesses(store)
      expect(both.map(({ port }) => port)).to.have.members([8081, 8082])
      expect(both[0]).to.deep.include({ kids: ['k2', 'k1'], state: 'up', pid: process.pid })
      await one.drain()
      const states = (await listProcesses(store)).map(({ id, state }) => [id, state])
      expect(states).to.have.deep.members([
        [one.id, 'draining'],
        [other.id, 'up'],
      ])
      await one.stop()
      expect((await listProcesses(store)).map(({ id }) => id)).to.deep.equal([other.id])
      await other.stop()
    })

    it('dies a minute after its last write', async () => {
      const clock = fakeClock()
      clock.stop()
      const store = await open({ clock })
      const killed = await heartbeat(store, { clock, everyMs: 10 })
      await killed.start()
      clock.advance(40_000)
      const at = clock.now()
      await until(async () => (await listProcesses(store))[0]?.seenAt === at)
      await killed.drain()
      // As after `kill -9`: nobody writes any more, and nobody takes the record away.
      const silent = await heartbeat(store, { clock, everyMs: 1_000_000 })
      await silent.start()
      await killed.stop()
      clock.advance(59_000)
      expect(await listProcesses(store)).to.have.length(1)
      clock.advance(1001)
      expect(await listProcesses(store)).to.have.length(0)
      await silent.stop()
    })

    it('is of the kind that is declared, and found by it', async () => {
      const store = await open()
      const one = await heartbeat(store)
      await one.start()
      const registry = new RecordRegistry()
      registry.declare([PROCESS_RECORD])
      const isValid = new Ajv2020({ strict: false }).compile(PROCESS_RECORD.schema)
      const found = []
      for await (const record of findRecords(registry, store, 'host')) found.push(record)
      expect(found.map(({ id }) => id)).to.deep.equal([one.id])
      expect(isValid(found[0]?.value), JSON.stringify(isValid.errors)).to.equal(true)
      await one.stop()
    })

    it('takes the place of those of killed processes on the embedded store', async () => {
      const store = await open()
      await (await heartbeat(store)).start()
      const next = await heartbeat(store, { config: config({ SVC_STORE: 'sqlite' }) })
      await next.start()
      expect((await listProcesses(store)).map(({ id }) => id)).to.deep.equal([next.id])
      await next.stop()
    })
  })

  it('names the options in which processes differ, and holds no value of any', () => {
    const one = digestConfig(config())
    expect(digestConfig(config())).to.deep.equal(one)
    const secret = digestConfig(config({ SVC_SMTP_URL: 'smtp://other.example' }))
    expect(secret, 'secrets are left out').to.deep.equal(one)
    const own = digestConfig(config({ SVC_PORT: '8082', SVC_ADMIN_PORT: '6062' }))
    expect(own, 'ports are of a process').to.deep.equal(one)
    const other = digestConfig(
      config({
        SVC_LIMITS_TOKEN: '7',
        SVC_LOG_LEVEL: 'warn',
        SVC_MAIL_FROM: 'a@b.example',
        SVC_LIFETIMES_ACCESS_TOKEN: '5m',
        NODE_ENV: 'production',
      }),
    )
    expect(other.digest).to.not.equal(one.digest)
    expect(differentOptions(one.options, other.options)).to.deep.equal([
      'NODE_ENV',
      'SVC_DEMO',
      'SVC_DEMO_APPS',
      'SVC_LIFETIMES_ACCESS_TOKEN',
      'SVC_LIMITS_TOKEN',
      'SVC_LOG_LEVEL',
      'SVC_MAIL_FROM',
    ])
    const text = JSON.stringify([one, other])
    for (const value of ['hunter2', 'b.example', 'mail.example', 'warn']) {
      expect(text).to.not.include(value)
    }
  })
})
