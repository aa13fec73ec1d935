import type { Instance } from '@svc/platform'
import { indexKey } from '@svc/store'
import { type BrowserClient, type BrowserResponse, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { createDocumentStore } from '../../src/documents/document-store.ts'
import { plantSession, onboard } from '../support/owner-parts.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const HOUR_MS = 3_600_000
const TYPES = [
  'io.svc.files',
  'io.svc.accounts',
  'io.svc.auth.confirmations',
  'io.svc.oauth.clients',
  'io.svc.safe.secrets',
]

describe('what one owner may write into the instance of another', () => {
  let host: TestHost
  let clock: FakeClock
  let token: string
  let bob: Instance

  beforeEach(async () => {
    clock = fakeClock()
    host = await startTestHost({}, 'alice.example.com', clock)
    token = (await host.connect(TYPES.join(' '))).token
    bob = await addOwner('bob.example.com')
    await put('io.svc.files', 'small', { name: 'Holidays' })
  })
  afterEach(() => host.stop())

  const addOwner = (domain: string): Promise<Instance> => onboard(host.host, { domain })

  async function browserOf(owner: Instance): Promise<BrowserClient> {
    const browser = await host.browser(owner.origin, { anonymous: true })
    await plantSession(host.host, owner, browser)
    return browser
  }

  const send = (method: string, path: string, json: unknown): Promise<BrowserResponse> =>
    host.call(token, method, path, json)

  async function put(type: string, id: string, fields: unknown): Promise<void> {
    expect((await send('PUT', `/data/${type}/${id}`, fields)).status).to.equal(201)
  }

  const offer = (given: Readonly<Record<string, unknown>> = {}): Promise<BrowserResponse> =>
    send('POST', '/sharings', {
      to: bob.domain,
      type: 'io.svc.files',
      ids: ['small'],
      description: 'Photos',
      ...given,
    })

  /** Bytes of what waits for an owner, and how many. */
  async function waiting(owner: Instance) {
    const index = indexKey(owner.id, 'sharing-offers')
    const { records } = await host.host.store.list(index, { limit: 100 })
    return {
      count: records.length,
      bytes: JSON.stringify(records.map(({ value }) => value)).length,
    }
  }

  function expectTooMany(answer: BrowserResponse): void {
    expect(answer.status).to.equal(429)
    expect(answer.json()).to.deep.equal({ error: 'too_many_requests' })
    expect(Number(answer.headers['retry-after'])).to.be.within(1, 3600)
  }

  it('waits in ten offers at most, however many come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 18 }, () => offer()))
    expect(answers.filter(({ status }) => status === 201)).to.have.length(10)
    for (const answer of answers.filter(({ status }) => status !== 201)) expectTooMany(answer)
    expect((await waiting(bob)).count).to.equal(10)
  })

  it('has room again for what was accepted', async () => {
    let url = ''
    for (let at = 0; at < 10; at += 1) url = (await offer()).json<{ url: string }>().url
    expectTooMany(await offer())
    const browser = await browserOf(bob)
    const form = (await browser.get(url)).page().form('/auth/authorize/sharing')
    expect((await browser.submit(form)).status).to.equal(302)
    // Nothing of it is kept beside the documents.
    expect((await waiting(bob)).count).to.equal(9)
    expect((await browser.get(url)).status).to.equal(400)
    expect((await offer()).status).to.equal(201)
  })

  it('is accepted by one of many answers at once, with all of its documents', async () => {
    await put('io.svc.files', 'second', { name: 'More holidays' })
    const { url } = (await offer({ ids: ['small', 'second'] })).json<{ url: string }>()
    const browser = await browserOf(bob)
    const form = (await browser.get(url)).page().form('/auth/authorize/sharing')
    const answers = await Promise.all(Array.from({ length: 8 }, () => browser.submit(form)))
    expect(answers.filter(({ status }) => status === 302)).to.have.length(1)
    const documents = await createDocumentStore(host.host.app.oauth.store).list(
      bob,
      'io.svc.files',
      {},
    )
    expect(documents.documents.map(({ fields }) => fields['name'])).to.have.members([
      'Holidays',
      'More holidays',
    ])
    expect((await waiting(bob)).count).to.equal(0)
  })

  it('comes at most twenty times an hour, to whomever', async () => {
    const others = await Promise.all(
      ['carol', 'dave', 'erin'].map((name) => addOwner(`${name}.example.com`)),
    )
    for (let at = 0; at < 20; at += 1) {
      const to = others[at % others.length]?.domain
      expect((await offer({ to })).status, `offer ${at}`).to.equal(201)
    }
    expectTooMany(await offer())
    // Whether there is such an owner is not told any more either.
    expectTooMany(await offer({ to: 'nobody.example.com' }))
    clock.advance(HOUR_MS)
    expect((await offer()).status).to.equal(201)
  })

  it('is at most 64 KiB, and one document as large as documents are', async () => {
    const frame = JSON.stringify({ text: '' }).length
    await put('io.svc.files', 'a', { text: 'x'.repeat(65_536 - frame) })
    await put('io.svc.files', 'b', { text: 'x' })
    const answer = await offer({ ids: ['a', 'b'] })
    expect(answer.status).to.equal(413)
    expect(answer.json()).to.deep.equal({
      error: 'an offer holds at most 64 KiB',
      code: 'payload_too_large',
    })
    // Naming a document again does not make it two.
    expect((await offer({ ids: Array.from({ length: 100 }, () => 'a') })).status).to.equal(201)
    expect((await waiting(bob)).bytes).to.be.lessThan(70_000)
  })

  it('is gone after ninety days, and makes room', async () => {
    let url = ''
    for (let at = 0; at < 10; at += 1) url = (await offer()).json<{ url: string }>().url
    expect((await (await browserOf(bob)).get(url)).status).to.equal(200)
    clock.advance(90 * 24 * HOUR_MS - 60_000)
    expect((await (await browserOf(bob)).get(url)).status).to.equal(200)
    clock.advance(60_000)
    expect((await (await browserOf(bob)).get(url)).status).to.equal(400)
    expect((await waiting(bob)).count).to.equal(0)
    token = (await host.connect('io.svc.files')).token
    expect((await offer()).status).to.equal(201)
  })

  for (const type of TYPES.slice(1)) {
    it(`is never of the type ${type}`, async () => {
      const answer = await offer({ type })
      expect(answer.status).to.equal(403)
      expect(answer.json()).to.deep.equal({
        error: `documents of ${type} are not offered`,
        code: 'forbidden',
      })
      expect((await waiting(bob)).count).to.equal(0)
    })
  }

  it('is not shown by a link either when reading it takes a confirmation', async () => {
    const type = 'io.svc.safe.secrets'
    await put(type, 'secret', { text: 'hunter2' })
    const answer = await send('POST', '/shares', { type, ids: ['secret'] })
    expect(answer.status).to.equal(403)
    expect(answer.json()).to.have.property('error', `documents of ${type} are not shared`)
  })
})
