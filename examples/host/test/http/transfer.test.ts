import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import {
  afterTest,
  browserClient,
  type FakeClock,
  fakeClock,
  needsRedis,
  skipUnless,
  until,
} from '@svc/testkit'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import {
  bytesOf,
  carriedLines,
  createMovingOwner,
  type MovingOwner,
  openExport,
} from '../support/moving-owner.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const DOMAIN = 'moved.example.net'
const KEYS = (name: string): string =>
  `${name}:${createHash('sha256').update(name).digest('base64')}`

describe('moving an owner', function () {
  this.timeout(60_000)
  let redis: RedisServer
  let old: TestHost
  let next: TestHost
  let clock: FakeClock
  let identity: string
  let key: { readonly recipients: readonly string[] }

  before(async function () {
    needsRedis(this)
    redis = await startRedisServer()
    identity = await generateIdentity()
    key = { recipients: [await identityToRecipient(identity)] }
  })
  after(() => redis?.stop())
  beforeEach(async () => {
    clock = fakeClock()
    old = await startTestHost({ SVC_KEYS: KEYS('old') }, 'old.example.com')
    const env = { SVC_KEYS: KEYS('next'), SVC_STORE: `${redis.url}/1` }
    next = await startTestHost(env, 'next.example.com', clock)
  })
  afterEach(async () => {
    const { instances } = next.host.app.oauth
    for (const { id } of (await instances.list()).instances) await instances.remove(id)
    await next.stop()
    await old.stop()
  })

  const exported = ({ host }: TestHost, { instance }: MovingOwner, move = false): Promise<Buffer> =>
    bytesOf(host.app.oauth.transfer.exportInstance(instance.id, { key, move }))
  const take = ({ host }: TestHost, file: Buffer, options: object = {}) =>
    host.app.oauth.transfer.importInstance(
      (async function* whole() {
        yield file
      })(),
      { key: { identities: [identity] }, ...options },
    )
  const visit = ({ host }: TestHost, { instance }: MovingOwner) =>
    browserClient({ base: instance.origin, port: host.port })

  /** What a change has to be followed by at once has followed. */
  const isQuiet = ({ host }: TestHost, { instance: { id } }: MovingOwner) =>
    until(async () => {
      for await (const entry of host.store.dump()) {
        const isOwn = entry.type === 'wake-up' && entry.id.startsWith(id)
        if (isOwn && entry.dueAt < Date.now() + 60_000) return false
      }
      return true
    })

  it('carries everything to the other engine and back, in the same bytes', async () => {
    const owner = await createMovingOwner(old.host, DOMAIN)
    await owner.check(old.host)
    await isQuiet(old, owner)
    const file = await exported(old, owner, true)
    const report = await take(next, file)
    expect(report).to.include({ id: owner.instance.id, domain: DOMAIN })
    await isQuiet(next, owner)
    const second = await exported(next, owner)
    const lines = await openExport(file, identity)
    const carried = carriedLines(lines)
    expect(carriedLines(await openExport(second, identity))).to.deep.equal(carried)
    expect(carried, 'of which all but three are compared').to.have.lengthOf(lines.length - 3)
    expect(lines.length).to.be.greaterThan(12)
    await owner.check(next.host)

    await old.host.app.oauth.instances.remove(owner.instance.id)
    await isQuiet(next, owner)
    const back = await exported(next, owner, true)
    await take(old, back)
    await isQuiet(old, owner)
    const third = await openExport(await exported(old, owner), identity)
    expect(carriedLines(third)).to.deep.equal(carriedLines(await openExport(back, identity)))
  })

  it('makes a new access key at once: a token of the old server opens nothing', async () => {
    const owner = await createMovingOwner(old.host, DOMAIN)
    const call = async ({ host }: TestHost): Promise<number> => {
      const client = browserClient({ base: owner.instance.origin, port: host.port })
      const authorization = `Bearer ${owner.accessToken}`
      return (await client.get('/data/io.svc.files/one', { headers: { authorization } })).status
    }
    expect(await call(old), 'it opens what is not there').to.equal(404)
    const file = await exported(old, owner)
    await take(next, file)
    expect(await call(next)).to.equal(401)
    await owner.check(next.host)
    // Where the old copy is replaced, what this process knows of its keys counts no more either.
    expect(await call(old)).to.equal(404)
    await take(old, file, { replace: true })
    expect(await call(old)).to.equal(401)
  })

  it('leaves behind what the old host called the owner, and keeps what this one does', async () => {
    const owner = await createMovingOwner(old.host, DOMAIN)
    const { id } = owner.instance
    const [there, here] = [old.host.app.oauth.instances, next.host.app.oauth.instances]
    await there.update(id, { externalId: 'user:1' })
    const file = await exported(old, owner)
    await take(next, file)
    expect(await here.byExternalId('user:1')).to.equal(undefined)
    await here.update(id, { externalId: 'member:7' })
    await take(next, file, { replace: true })
    expect((await here.byExternalId('member:7'))?.id).to.equal(id)
    expect((await there.byExternalId('user:1'))?.id).to.equal(id)
  })

  it('delivers at the new place what was still to come, and nothing at the old one', async () => {
    const owner = await createMovingOwner(old.host, DOMAIN)
    await take(next, await exported(old, owner, true))
    clock.advance(owner.dueAt - clock.now() + 1000)
    const mails = await until(
      async () => {
        const all = (await next.host.app.mailbox?.list(owner.instance)) ?? []
        return all.some(({ mail }) => mail.text.includes('They are dry.')) && all
      },
      { limitMs: 20_000 },
    )
    expect(mails.filter(({ mail }) => mail.text.includes('They are dry.'))).to.have.lengthOf(1)
  })

  it('closes the old copy for good: pages say so, and nothing is written', async () => {
    const owner = await createMovingOwner(old.host, DOMAIN)
    await exported(old, owner, true)
    const page = await visit(old, owner).get('/auth/login')
    expect(page.status).to.equal(503)
    expect(page.headers['retry-after']).to.equal('60')
    expect(page.text).to.include('This space is being moved. Try again in a few minutes.')
    expect(page.text, 'to the same page').to.include('href="/auth/login">Try again<')
    expect(page.text.includes('Reference:'), 'nothing is broken').to.equal(false)
    const call = await old.admin('POST', `/instances/${DOMAIN}/session-code`)
    expect(await call.json()).to.include({ code: 'instance_held' })

    const { transfer } = old.host.app.oauth
    const refused = await transfer.unfreeze(owner.instance.id).catch((error: Error) => error)
    expect(refused).to.have.property('code', 'export_completed')
    await transfer.unfreeze(owner.instance.id, { force: true })
    await owner.check(old.host)
  })

  it('is taken while Redis freezes writes for moments, in every process', async () => {
    const owner = await createMovingOwner(next.host, DOMAIN)
    const env = { SVC_KEYS: KEYS('next'), SVC_STORE: `${redis.url}/1` }
    const other = await startTestHost(env, 'other.example.com')
    try {
      expect((await visit(other, owner).get('/auth/login')).status).to.equal(200)
      const chunks = next.host.app.oauth.transfer.exportInstance(owner.instance.id, { key })
      for await (const _ of chunks) {
        for (const host of [next, other]) {
          const written = await visit(host, owner).post('/auth/login', { passphrase: 'x' })
          expect(written.status).to.equal(503)
          expect(written.headers['retry-after']).to.equal('1')
          expect((await visit(host, owner).get('/auth/login')).status).to.equal(200)
        }
      }
      await owner.check(other.host)
      const dead = next.host.app.oauth.transfer.exportInstance(owner.instance.id, { key })
      const reading = dead[Symbol.asyncIterator]()
      await reading.next() // and its process dies
      clock.advance(60_000)
      expect(
        (await visit(next, owner).post('/auth/login', { passphrase: 'x' })).status,
      ).not.to.equal(503)
      // The freeze is over, and what reads it finds that out.
      await reading.return?.().catch(() => {})
    } finally {
      await other.host.app.oauth.instances.remove(other.instance.id)
      await other.stop()
    }
  })

  it('is refused where its id or domain is taken, and takes a place by --replace', async () => {
    const owner = await createMovingOwner(old.host, DOMAIN)
    const file = await exported(old, owner)
    const codeOf = (error: { code?: string }) => error.code
    expect(await take(old, file).catch(codeOf)).to.equal('instance_exists')
    await next.admin('POST', '/instances', { domain: DOMAIN })
    expect(await take(next, file).catch(codeOf)).to.equal('instance_exists')
    await old.admin('PATCH', `/instances/${DOMAIN}`, { publicName: 'Changed' })
    await old.host.app.ui.owners.createSession(owner.instance)
    await take(old, file, { replace: true })
    await owner.check(old.host)
    expect(await old.host.app.oauth.instances.byId(owner.instance.id)).not.to.have.property(
      'publicName',
    )
  })

  it('leaves nothing of a file that is cut anywhere, or changed', async () => {
    const owner = await createMovingOwner(old.host, DOMAIN)
    const file = await exported(old, owner)
    // A folder of its own: other tests import at the same time.
    const spools = await mkdtemp(path.join(tmpdir(), 'svc-spools-'))
    const { TMPDIR: before } = process.env
    process.env['TMPDIR'] = spools
    afterTest(() => {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
      return rm(spools, { recursive: true })
    })
    const cuts = new Set(Array.from({ length: 60 }, (_, n) => Math.floor((n * file.length) / 60)))
    for (let back = 1; back <= 200; back += 1) cuts.add(file.length - back)
    for (const at of cuts) {
      const error: unknown = await take(next, file.subarray(0, at)).catch((fault: unknown) => fault)
      expect(error, `cut at ${at}`).to.have.property('code', 'export_damaged')
    }
    const flipped = Buffer.from(file)
    flipped.writeUInt8(flipped.readUInt8(file.length - 300) ^ 1, file.length - 300)
    expect(await take(next, flipped).catch((fault: unknown) => fault)).to.have.property(
      'code',
      'export_damaged',
    )
    const other = { key: { identities: [await generateIdentity()] } }
    expect(await take(next, file, other).catch((fault: unknown) => fault)).to.have.property(
      'code',
      'export_locked',
    )
    for await (const entry of next.host.store.dump()) {
      const name = entry.type === 'wake-up' ? entry.id : entry.key
      expect(name).not.to.include(owner.instance.id)
    }
    expect(await readdir(spools)).to.deep.equal([])
  })

  it('opens with age of Debian', async function () {
    const hasAge = spawnSync('age', ['--version']).status === 0
    skipUnless(this, hasAge, 'age is not installed')
    const owner = await createMovingOwner(old.host, DOMAIN)
    const file = path.join(old.config.dataDir, 'owner.age')
    const keyFile = path.join(old.config.dataDir, 'identity')
    await writeFile(file, await exported(old, owner))
    await writeFile(keyFile, `${identity}\n`, { mode: 0o600 })
    const { stdout } = spawnSync('sh', ['-c', `age -d -i ${keyFile} ${file} | gunzip`])
    expect(String(stdout).split('\n')[0]).to.include('"format":"svc-instance"')
    await rm(keyFile)
  })
})
