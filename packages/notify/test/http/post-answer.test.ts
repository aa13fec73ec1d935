import { expect } from 'chai'
import { describe, it } from 'mocha'
import { expectRefusal } from '../support/expect-refusal.ts'
import { BANK } from '../support/intake-server.ts'
import { memoryIntake } from '../support/memory-intake.ts'

const start = memoryIntake()

describe('POST /notifications, its answer (notifications.md 3.3, D36)', () => {
  it('is the notification with everything that was given and computed', async () => {
    const server = await start()
    const attributes = {
      category: 'balance',
      category_id: 'account/1',
      title: 'Low\tbalance ',
      message: 'Only 12 € left',
      state: '12',
      preferred_channels: ['mobile', 'sms', 'mobile'],
      data: { redirectLink: 'bank/#/balances', nested: { list: [1, null, true] } },
      sound: 'coin.wav',
      content: 'text\r\n',
      content_html: '<p>text',
    }
    const answer = await server.post(server.bank, attributes)
    expect(answer.status).to.equal(201)
    expect(answer.headers['content-type']).to.equal('application/vnd.api+json')
    expect(answer.headers['cache-control']).to.equal('no-store')
    const { type, id, meta, links } = answer.data
    expect(type).to.equal('io.svc.notifications')
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(meta.rev).to.match(/^1-[0-9a-f]{32}$/)
    expect(Object.keys(meta)).to.deep.equal(['rev'])
    expect(links).to.deep.equal({ self: `/notifications/${id}` })
    expect(answer.headers['location']).to.equal(`/notifications/${id}`)
    const { created_at, last_sent, ...rest } = answer.data.attributes
    expect(rest).to.deep.equal({
      ...attributes,
      source_id: 'svc/app/bank/balance/account%2F1',
      originator: 'app',
      slug: 'bank',
      priority: 'high',
      status: 'queued',
    })
    expect(created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(last_sent).to.equal(created_at)
    expect(Math.abs(Date.parse(String(created_at)) - server.clock.now())).to.be.lessThan(5000)
  })

  it('has no member for what was not given', async () => {
    const server = await start()
    const answer = await server.post(server.bank, {
      category: 'plain',
      title: 't',
      message: null,
      category_id: '',
      state: null,
      priority: null,
      data: null,
      at: null,
      sound: null,
      preferred_channels: null,
    })
    expect(answer.status, answer.text).to.equal(201)
    expect(Object.keys(answer.data.attributes)).to.have.members([
      'source_id',
      'originator',
      'slug',
      'category',
      'title',
      'created_at',
      'last_sent',
      'status',
    ])
    const [record] = await server.records()
    expect(record?.preferredChannels).to.deep.equal(['mail'])
  })

  it('is read back as it was, with every byte of its bodies', async () => {
    const server = await start()
    const content = `${'é'.repeat(99_999)}\n`
    const html = `<p>${'x'.repeat(299_997)}`
    const answer = await server.post(server.bank, {
      category: 'plain',
      title: 't',
      content,
      content_html: html,
    })
    expect(answer.status).to.equal(201)
    const stored = await server.outbox.get(server.instance.id, answer.data.id)
    expect(stored?.record.content).to.equal(content)
    expect(stored?.record.contentHtml).to.equal(html)
  })

  it('is scheduled when its time is ahead', async () => {
    const server = await start({ timeZone: 'Europe/Paris' })
    const at = new Date(server.clock.now() + 3_600_000).toISOString()
    const { data } = await server.post(server.bank, { category: 'plain', title: 't', at })
    expect(data.attributes).to.include({ status: 'scheduled', scheduled_at: at, at })
    const [record] = await server.records()
    expect(record).to.include({ dueAt: Date.parse(at), scheduledAt: Date.parse(at) })
    expect(record?.lastSentAt).to.equal(record?.createdAt)
  })

  it('is queued at once when its time is past, up to 24 hours', async () => {
    const server = await start()
    const at = new Date(server.clock.now() - 86_390_000).toISOString()
    const { data } = await server.post(server.bank, { category: 'plain', title: 't', at })
    expect(data.attributes).to.include({ status: 'queued', at })
    expect(data.attributes).not.to.have.property('scheduled_at')
  })

  it('copies what counts of the declaration: a later manifest changes nothing (4.1)', async () => {
    const server = await start()
    await server.post(server.bank, { category: 'bills', title: 't' })
    server.apps.set('bank', { ...BANK, notifications: { bills: { collapsible: true } } })
    await server.post(server.bank, { category: 'bills', title: 't' })
    const flags = (await server.records()).map((record) => record.flags)
    const none = { collapsible: false, stateful: false, multiple: false, sensitive: false }
    expect(flags).to.have.deep.members([
      {
        ...none,
        multiple: true,
        ttlMs: 7_200_000,
        templates: { mail: 'file:./bills.tpl' },
      },
      { ...none, collapsible: true },
    ])
  })

  it('takes any namespace and any prefix of sources (D20)', async () => {
    const server = await start({ namespace: 'io.cozy', sourcePrefix: 'cozy' })
    const answer = await server.post(server.bank, { category: 'plain', title: 't' })
    expect(answer.data.type).to.equal('io.cozy.notifications')
    expect(answer.data.attributes['source_id']).to.equal('cozy/app/bank/plain/')
  })
})

describe('POST /notifications, who posts (2, 4.1, 6)', () => {
  const plain = { category: 'plain', title: 't' }

  it('is a web app, by its token and session', async () => {
    const server = await start()
    expect((await server.post(server.bank, plain)).data.attributes).to.include({
      originator: 'app',
      slug: 'bank',
    })
    const { authorization } = server.bank
    const refused = await server.post({ authorization }, plain)
    expect(refused.status, 'without its session').to.equal(401)
  })

  it('is a konnector, by its manifest', async () => {
    const server = await start()
    const answer = await server.post(await server.konnector(), {
      category: 'due',
      title: 't',
      state: 'x',
    })
    expect(answer.data.attributes).to.include({
      originator: 'konnector',
      slug: 'bills',
      source_id: 'svc/konnector/bills/due/',
    })
    const [record] = await server.records('konnector', 'bills')
    expect(record?.postedBy).to.equal('io.svc.konnectors/bills')
  })

  it('is a client linked to an app, by the declarations of that app', async () => {
    const server = await start()
    const { headers } = await server.client('@io.svc.apps/bank', {
      software_id: 'registry://bank/stable',
      notifications: { own: {} },
    })
    const answer = await server.post(headers, plain)
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.data.attributes).to.include({
      originator: 'oauth',
      slug: 'bank',
      source_id: 'svc/oauth/bank/plain/',
    })
    const own = await server.post(headers, { ...plain, category: 'own' })
    expectRefusal(own, 403, 'category_not_found')
    const [record] = await server.records('oauth', 'bank')
    expect(record).to.include({ postedBy: 'io.svc.apps/bank', owner: 'bank' })
    expect(record).not.to.have.property('clientId')
  })

  it('is another client by its own declarations, and never by templates', async () => {
    const server = await start()
    const { id, headers } = await server.client('io.svc.notifications:POST', {
      notifications: { own: { stateful: true, templates: { mail: 'file:x' } } },
    })
    const answer = await server.post(headers, { category: 'own', title: 't', state: 's' })
    expect(answer.data.attributes).to.include({
      originator: 'oauth',
      source_id: `svc/oauth/${id}/own/`,
    })
    expect(answer.data.attributes).not.to.have.property('slug')
    const [record] = await server.records('oauth', id)
    expect(record).to.include({ clientId: id, postedBy: `io.svc.oauth.clients/${id}` })
    expect(record?.flags).not.to.have.property('templates')
  })

  it('is a client that the owner allowed to post, by whatever scope', async () => {
    const server = await start()
    for (const scope of ['io.svc.notifications', 'io.svc.notifications:GET,POST', '*']) {
      const { headers } = await server.client(scope, { notifications: { own: {} } })
      const answer = await server.post(headers, { category: 'own', title: 't' })
      expect(answer.status, scope).to.equal(201)
    }
  })

  it('is not a client that the owner did not allow to post (2.4)', async () => {
    const server = await start()
    const scopes = ['io.svc.notifications:GET', 'io.svc.files', 'io.svc.notifications:POST:one']
    for (const scope of scopes) {
      const { headers } = await server.client(scope, { notifications: { own: {} } })
      const answer = await server.post(headers, { category: 'own', title: 't' })
      expectRefusal(answer, 403, 'insufficient_scope')
      expect(answer.headers['www-authenticate']).to.equal('Bearer error="insufficient_scope"')
    }
  })

  it('is nobody any more once client, app, konnector or session is gone (2.5)', async () => {
    const server = await start()
    const { id, headers } = await server.client('io.svc.notifications', {
      notifications: { plain: {} },
    })
    expect((await server.post(headers, plain)).status).to.equal(201)
    await server.oauth.clients.revoke(server.instance, id, 'test')
    const konnector = await server.konnector()
    server.apps.delete('bank')
    server.konnectors.delete('bills')
    for (const token of [headers, server.bank, konnector]) {
      const answer = await server.post(token, plain)
      expectRefusal(answer, 401, 'invalid_token')
    }
  })
})

describe('existing clients (clients.md 32, 33)', () => {
  it('post application/json, any type, null messages, unknown attributes, 100 kB', async () => {
    const server = await start()
    const answer = await server.send('POST', '/notifications', {
      headers: { ...(await server.app()), 'content-type': 'application/json' },
      body: JSON.stringify({
        data: {
          type: 'io.cozy.notifications',
          id: 'mine',
          attributes: {
            category: 'plain',
            title: 'Balance',
            message: null,
            state: '1',
            preferred_channels: ['mobile', 'mail'],
            data: { appName: 'Bank' },
            content: 'c'.repeat(10_000),
            content_html: `<html>${'h'.repeat(100_000)}</html>`,
            lang: 'fr',
            local: { a: 1 },
          },
        },
      }),
    })
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.data.type).to.equal('io.svc.notifications')
    expect(answer.data.id).not.to.equal('mine')
    expect(answer.data.attributes).not.to.have.any.keys('lang', 'local', 'message')
    expect(answer.data.attributes).to.include({ state: '1', content: 'c'.repeat(10_000) })
  })
})
