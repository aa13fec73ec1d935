import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { until } from '@svc/testkit'
import { expect } from 'chai'
import { BOUNDED_BYTES } from '../../src/quota/counted-kinds.ts'
import { createShareStore } from '../../src/demo/shares/share-store.ts'
import { createHostKonnectors } from '../../src/konnectors/registry.ts'
import { createDiskQuota } from '../../src/quota/disk-quota.ts'
import { TooManyInstalledError } from '../../src/quota/too-many-installed.ts'
import { createDocumentStore } from '../../src/documents/document-store.ts'
import { createInstance } from '../../src/create-instance.ts'
import { eachTestHost, testFolder } from '../support/for-test.ts'

const KIB = 1024
const TYPE = 'io.svc.contacts'

/** Rows of operation.md 8.1, and 8.2. */
describe('the quota of an instance', () => {
  const host = eachTestHost({ SVC_LIMITS_DISK: '200KiB' })
  let token: string

  beforeEach(async () => {
    ;({ token } = await host.connect(`${TYPE} io.svc.accounts`))
  })

  const call = (method: string, path: string, json?: unknown) =>
    host.call(token, method, path, json)

  /** Writes until there is no room for 20 KiB. */
  async function fill(): Promise<string> {
    let last = ''
    for (let n = 0; n < 20; n++) {
      const answer = await call('PUT', `/data/${TYPE}/n${n}`, { text: 'x'.repeat(20 * KIB) })
      if (answer.status === 413) {
        expect(answer.json()).to.include({ code: 'quota_exceeded' })
        return last
      }
      expect(answer.status).to.equal(201)
      last = answer.json<{ _rev: string }>()._rev
    }
    throw new Error('it is never full')
  }

  it('answers 413 to the document that does not fit, and writes nothing of it', async () => {
    await fill()
    const { instance } = host
    const documents = createDocumentStore(host.host.store)
    const before = (await documents.list(instance, TYPE, {})).documents.length
    const refused = await call('POST', `/data/${TYPE}`, { text: 'x'.repeat(20 * KIB) })
    expect(refused.status).to.equal(413)
    expect((await documents.list(instance, TYPE, {})).documents.length).to.equal(before)
    const { quota } = host.host.app
    expect((await quota.use(instance)).quota).to.equal(200 * KIB)
    // What the owner is told meanwhile counts, too.
    const { document, client } = await quota.usage(instance)
    const bytes = (document?.bytes ?? 0) + (client?.bytes ?? 0) + BOUNDED_BYTES
    expect(bytes).to.be.within(170 * KIB, 200 * KIB)
  })

  it('lets a full instance shrink, delete, and write again', async () => {
    const _rev = await fill()
    const path = `/data/${TYPE}/n${(await listed()) - 1}`
    const shrunk = await call('PUT', path, { _rev, text: 'small' })
    expect(shrunk.status).to.equal(200)
    expect((await call('DELETE', `/data/${TYPE}/n0`)).status).to.equal(204)
    const again = await call('POST', `/data/${TYPE}`, { text: 'x'.repeat(20 * KIB) })
    expect(again.status).to.equal(201)
  })

  async function listed(): Promise<number> {
    return (await createDocumentStore(host.host.store).list(host.instance, TYPE, {})).documents
      .length
  }

  it('never keeps an owner from logging in, revoking, ending sessions and changing factors', async () => {
    await fill()
    const { app } = host.host
    const { session } = await app.ui.owners.createSession(host.instance)
    expect(session.id).to.match(/^[0-9a-f]{32}$/)
    const { clients } = await app.oauth.clients.list(host.instance, {})
    const [client] = clients
    expect(await app.oauth.clients.revoke(host.instance, client?.id ?? '', 'owner')).to.equal(true)
    await app.ui.owners.resetPassphrase(host.instance, 'another long passphrase')
    await app.ui.owners.setAuthMode(host.instance, 'two_factor_mail')
    const removal = await host.admin('DELETE', '/instances/alice.example.com')
    expect(removal.status).to.equal(204)
  })

  it('leaves other instances alone, and is the one of the operator for one', async () => {
    await fill()
    const { instance: bob } = await createInstance(host.host.app, { domain: 'bob.example.com' })
    const documents = createDocumentStore(host.host.store, host.host.app.quota)
    const large = { type: TYPE, id: 'a', fields: { text: 'x'.repeat(100 * KIB) } }
    expect(await documents.put(bob, large, 'absent')).to.be.a('string')
    const update = await host.admin('PATCH', '/instances/alice.example.com', { diskQuota: 0 })
    expect(update.status).to.equal(200)
    const written = await call('POST', `/data/${TYPE}`, { text: 'x'.repeat(20 * KIB) })
    expect(written.status).to.equal(201)
    const back = await host.admin('PATCH', '/instances/alice.example.com', { diskQuota: null })
    expect(await back.json()).to.not.have.property('diskQuota')
  })

  // Row 20 of operation.md 10, in short.
  it('holds a hostile client and strangers, while the owner goes on and is told', async () => {
    const { app } = host.host
    const anybody = await host.browser(undefined, { anonymous: true })
    const strangers = Array.from({ length: 60 }, async (_, n) => {
      const answer = await anybody.request('POST', '/auth/register', {
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({
          client_name: `Bot ${n}`,
          software_id: 'bot',
          redirect_uris: ['https://bot.example/'],
        }),
      })
      return answer.status
    })
    const flood = Array.from({ length: 40 }, async (_, n) => {
      const answer = await call('POST', `/data/${TYPE}`, { n, text: 'x'.repeat(20 * KIB) })
      return answer.status
    })
    expect((await Promise.all(strangers)).filter((status) => status === 429).length).to.be.above(5)
    expect(new Set(await Promise.all(flood))).to.deep.equal(new Set([201, 413]))
    await until(async () => {
      const mails = (await app.mailbox?.list(host.instance)) ?? []
      return mails.some(({ mail }) => mail.subject.endsWith(' is full'))
    })
    const owner = await host.browser()
    expect((await owner.get('/settings/sessions/current')).status).to.equal(200)
    for (const client of (await app.oauth.clients.list(host.instance, {})).clients) {
      expect(await app.oauth.clients.revoke(host.instance, client.id, 'owner')).to.equal(true)
    }
    expect((await call('POST', `/data/${TYPE}`, {})).status).to.equal(401)
    const { instance: bob } = await createInstance(app, { domain: 'bob.example.com' })
    expect((await app.quota.use(bob)).used).to.be.below(BOUNDED_BYTES + 5 * KIB)
  })

  it('takes 200 accounts of 64 KiB at most', async () => {
    await host.admin('PATCH', '/instances/alice.example.com', { diskQuota: 0 })
    const { store } = host.host.app.accounts
    const account = (n: number) => ({
      _id: `a${n}`,
      account_type: 'bank',
      name: 'Bank',
    })
    for (let n = 0; n < 200; n++) await store.create(host.instance, account(n))
    const refused = await store.create(host.instance, account(200)).catch((error: unknown) => error)
    expect(refused).to.include({ code: 'quota_exceeded', status: 413 })
    const byHand = await call('POST', '/data/io.svc.accounts', { account_type: 'bank' })
    expect(byHand.status).to.equal(413)
  })

  it('takes no account of more than 64 KiB', async () => {
    const { store } = host.host.app.accounts
    const large = { _id: 'large', account_type: 'bank', name: 'x'.repeat(64 * KIB) }
    const refused = await store.create(host.instance, large).catch((error: unknown) => error)
    expect(refused).to.include({ code: 'quota_exceeded', status: 413 })
    expect(await store.get(host.instance, 'large')).to.equal(undefined)
  })

  it('takes 100 000 documents and 1 000 links at most, while what is there may change', async () => {
    const { instance } = host
    const { store } = host.host
    let kept = { document: 99_999, 'share-link': 999 }
    // As the store counts them when so many are there.
    const usage = async () => ({
      document: { records: kept.document, bytes: 0 },
      'share-link': { records: kept['share-link'], bytes: 0 },
    })
    const quota = createDiskQuota({ usage, recount: usage }, 0)
    const documents = createDocumentStore(store, quota)
    const links = createShareStore(store, quota)
    const link = { owner: 'io.svc.notes', type: TYPE, ids: ['a'] }
    expect(await documents.put(instance, { type: TYPE, id: 'a', fields: {} }, 'any')).to.be.a(
      'string',
    )
    await links.create(instance, link)
    kept = { document: 100_000, 'share-link': 1000 }
    const another = { type: TYPE, id: 'b', fields: {} }
    for (const write of [documents.put(instance, another, 'any'), links.create(instance, link)]) {
      const refused = await write.catch((error: unknown) => error)
      expect(refused).to.include({ code: 'quota_exceeded', status: 413 })
    }
    expect(await documents.get(instance, TYPE, 'b')).to.equal(undefined)
    expect(await links.list(instance, 'io.svc.notes')).to.have.lengthOf(1)
    const changed = { type: TYPE, id: 'a', fields: { n: 1 } }
    expect(await documents.put(instance, changed, 'any')).to.be.a('string')
  })

  it('installs 100 konnectors at most', async () => {
    const folder = testFolder()
    for (let n = 0; n <= 100; n++) {
      await mkdir(path.join(folder, `bank${n}`))
      const manifest = { slug: `bank${n}`, name: `Bank ${n}`, permissions: {} }
      await writeFile(path.join(folder, `bank${n}`, 'manifest.json'), JSON.stringify(manifest))
    }
    const { store } = host.host
    const konnectors = createHostKonnectors({ store, folder, namespace: 'io.svc' })
    for (let n = 0; n < 100; n++) await konnectors.install(host.instance, `bank${n}`)
    const refused = await konnectors
      .install(host.instance, 'bank100')
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(TooManyInstalledError)
    // One that is there may be installed again.
    expect(await konnectors.install(host.instance, 'bank0')).to.include({ slug: 'bank0' })
  })

  it('is told to the operator by kind, and counted anew with the same result', async () => {
    for (const n of [1, 2, 3]) await call('PUT', `/data/${TYPE}/n${n}`, { text: 'x'.repeat(KIB) })
    const answer = await host.admin('GET', '/instances/alice.example.com/usage')
    const usage = (await answer.json()) as {
      used: number
      kinds: Record<string, { records: number; bytes: number }>
    }
    expect(usage.kinds['document']?.records).to.equal(await listed())
    expect(usage.kinds).to.have.property('client')
    const sum = Object.values(usage.kinds).reduce((all, { bytes }) => all + bytes, BOUNDED_BYTES)
    expect(usage.used).to.equal(sum)
    const recount = await host.admin('POST', '/instances/alice.example.com/usage')
    const { before, after } = (await recount.json()) as { before: number; after: number }
    expect(Math.abs(after - before)).to.be.at.most(before / 100)
  })

  it('installs 100 apps at most', async () => {
    const folder = testFolder()
    const { apps } = host.host.app
    const before = (await apps.listInstalled(host.instance)).length
    for (let n = 0; n <= 100 - before; n++) {
      const slug = `app${n}`
      await mkdir(path.join(folder, slug))
      const routes = { '/': { folder: '/', index: 'index.html', public: false } }
      const manifest = { slug, name: slug, permissions: {}, routes }
      await writeFile(path.join(folder, slug, 'manifest.json'), JSON.stringify(manifest))
      await writeFile(path.join(folder, slug, 'index.html'), '<!doctype html><title>App</title>')
      const answer = await host.admin('POST', '/instances/alice.example.com/apps', {
        app: path.join(folder, slug),
      })
      expect(answer.status, await answer.text()).to.equal(n < 100 - before ? 201 : 409)
    }
    // One that is there may be installed again.
    const again = { app: path.join(folder, 'app0') }
    const answer = await host.admin('POST', '/instances/alice.example.com/apps', again)
    expect(answer.status).to.equal(201)
  })
})
