import { DAY_MS } from '@svc/platform'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { MAIL_LOCALES } from '../../src/index.ts'
import { NotifyError } from '../../src/notify-error.ts'
import type { InternalNotification } from '../../src/notify.ts'
import type { IntakeServer } from '../support/intake-server.ts'
import { memoryIntake } from '../support/memory-intake.ts'

type Attributes = Readonly<Record<string, unknown>>

/** An object of so many levels. */
function nested(levels: number): unknown {
  return levels === 1 ? {} : { a: nested(levels - 1) }
}

/** An object that is so many bytes of JSON. */
const sized = (bytes: number): unknown => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) })

describe('POST /notifications, its attributes (notifications.md 3.1)', () => {
  const start = memoryIntake()
  let server: IntakeServer
  beforeEach(async () => {
    server = await start()
  })

  const post = async (attributes: Attributes) =>
    server.post(await server.app(), { category: 'plain', title: 't', ...attributes })

  const fine: readonly (readonly [string, Attributes])[] = [
    ['a title of 512 characters', { title: '😀'.repeat(512) }],
    ['a title with control characters', { title: 'a\u0000\r\nb' }],
    ['a message of 10000 characters', { message: 'é'.repeat(10_000) }],
    ['an empty message', { message: '' }],
    ['high priority', { priority: 'high' }],
    ['normal priority', { priority: 'normal' }],
    ['a state of 1024 characters', { state: 's'.repeat(1024) }],
    ['no channels', { preferred_channels: [] }],
    ['eight channels', { preferred_channels: Array(8).fill('sms') }],
    ['data of 32 KiB', { data: sized(32_768) }],
    ['data of eight levels', { data: nested(8) }],
    ['empty data', { data: {} }],
    ['data with names of objects', { data: JSON.parse('{"__proto__":{"a":1},"constructor":1}') }],
    ['a sound of 128 characters', { sound: 's'.repeat(128) }],
    [
      'a sub-category of 256 characters',
      { category: 'balance', state: '', category_id: '/'.repeat(256) },
    ],
    ['what nobody knows', { extra: { deep: [1] }, created_at: 1, source_id: 'x', status: 'sent' }],
  ]
  for (const [what, attributes] of fine) {
    it(`takes ${what}, and echoes it`, async () => {
      const answer = await post(attributes)
      expect(answer.status, answer.text).to.equal(201)
      const known = ['extra', 'created_at', 'source_id', 'status']
      for (const [name, value] of Object.entries(attributes)) {
        if (known.includes(name)) expect(answer.data.attributes[name]).not.to.deep.equal(value)
        else expect(answer.data.attributes[name]).to.deep.equal(value)
      }
    })
  }

  const wrong: readonly (readonly [string, Attributes, string, string?])[] = [
    ['a title that is a number', { title: 1 }, 'title'],
    ['a title that is an object', { title: {} }, 'title'],
    ['a title of 513 characters', { title: 't'.repeat(513) }, 'title'],
    ['half a character', { title: 'a\ud800' }, 'title'],
    ['a message of 10001 characters', { message: 'm'.repeat(10_001) }, 'message'],
    ['a message that is an array', { message: ['m'] }, 'message'],
    ['another priority', { priority: 'urgent' }, 'priority'],
    ['an empty priority', { priority: '' }, 'priority'],
    ['a priority in capitals', { priority: 'High' }, 'priority'],
    ['a state that is a number', { state: 1 }, 'state'],
    ['a state that is an object', { state: {} }, 'state'],
    ['a state of 1025 characters', { state: 's'.repeat(1025) }, 'state'],
    ['a channel that is no array', { preferred_channels: 'mail' }, 'preferred_channels'],
    ['nine channels', { preferred_channels: Array(9).fill('sms') }, 'preferred_channels'],
    ['data that is an array', { data: [] }, 'data'],
    ['data that is a text', { data: 'x' }, 'data'],
    ['data of more than 32 KiB', { data: sized(32_769) }, 'data'],
    ['data of nine levels', { data: nested(9) }, 'data'],
    ['half a character in data', { data: { a: ['\udc00'] } }, 'data'],
    ['half a character in a name of data', { data: { '\udc00': 1 } }, 'data'],
    ['an at that is a number', { at: 1_774_080_000 }, 'at'],
    ['an at of 65 characters', { at: '2'.repeat(65) }, 'at'],
    ['an at that is no time', { at: 'tomorrow' }, 'at', 'invalid_at'],
    ['an empty at', { at: '' }, 'at', 'invalid_at'],
    ['an at long ago', { at: '2001-01-01T00:00:00Z' }, 'at', 'at_too_old'],
    ['an at far ahead', { at: '2101-01-01T00:00:00Z' }, 'at', 'at_too_far'],
    ['a sound of 129 characters', { sound: 's'.repeat(129) }, 'sound'],
    ['content of 100001 characters', { content: 'c'.repeat(100_001) }, 'content'],
    ['HTML of 300001 characters', { content_html: 'c'.repeat(300_001) }, 'content_html'],
    ['a sub-category of a plain category', { category_id: 'x' }, 'category_id', 'not_multiple'],
    [
      'a sub-category of 257 characters',
      { category: 'balance', state: 's', category_id: 'x'.repeat(257) },
      'category_id',
    ],
    [
      'a sub-category with a control character',
      { category: 'balance', state: 's', category_id: 'a\nb' },
      'category_id',
    ],
    [
      'a sub-category that is a number',
      { category: 'balance', state: 's', category_id: 1 },
      'category_id',
    ],
    ['no state of a stateful category', { category: 'balance' }, 'state', 'state_required'],
    ['the state null', { category: 'balance', state: null }, 'state', 'state_required'],
  ]
  for (const [what, attributes, name, code = 'invalid_attribute'] of wrong) {
    it(`answers 422 ${code} to ${what}`, async () => {
      const answer = await post(attributes)
      expect(answer.status, answer.text).to.equal(422)
      expect(answer.headers['content-type']).to.equal('application/vnd.api+json')
      expect(answer.errors).to.have.length(1)
      const [error] = answer.errors
      expect(error).to.deep.include({ status: '422', title: 'Invalid Attribute', code })
      expect(error?.source).to.deep.equal({ pointer: `/data/attributes/${name}` })
      expect(error?.detail).to.be.a('string')
      expect(await server.records()).to.deep.equal([])
    })
  }

  it('names the item that is no channel’s name', async () => {
    const answer = await post({ preferred_channels: ['mobile', 'Pigeon', 'mail', 7] })
    expect(answer.status).to.equal(422)
    expect(answer.errors.map(({ code, source }) => [code, source?.pointer])).to.deep.equal([
      ['invalid_attribute', '/data/attributes/preferred_channels/1'],
      ['invalid_attribute', '/data/attributes/preferred_channels/3'],
    ])
  })

  it('names every fault at once, and echoes nothing of them (3.2 number 7)', async () => {
    const answer = await post({
      category: 'slow',
      category_id: 'x',
      title: 't'.repeat(600),
      message: 1,
      priority: 'x',
      preferred_channels: ['<secret>'],
      data: [],
      at: 'x',
      sound: 1,
      content: 1,
      content_html: 1,
    })
    expect(answer.status).to.equal(422)
    expect(answer.errors.map(({ source }) => source?.pointer?.slice(17))).to.have.members([
      'category_id',
      'title',
      'message',
      'priority',
      'preferred_channels/0',
      'data',
      'at',
      'sound',
      'content',
      'content_html',
      'state',
    ])
    expect(answer.text).not.to.include('secret')
  })
})

const start = memoryIntake()

const post = (server: IntakeServer, notification: InternalNotification) =>
  server.intake.post(server.instance, notification)

async function codesOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.catch((thrown: unknown) => thrown)
  if (!NotifyError.is(error)) throw new Error('it was accepted')
  return [error.status, ...(error.errors ?? []).map(({ code, source }) => [code, source])]
}

describe('notifications of the server itself (notifications.md 2.7, 4.3)', () => {
  it('tell of too many connected clients, by mail, on behalf of the settings', async () => {
    const server = await start()
    const data = { ClientName: 'Phone', ClientsLimit: 3, OffersLink: '', DevicesLink: 'https://x' }
    const record = await post(server, { originator: 'stack', category: 'oauth-clients', data })
    expect(record).to.deep.include({
      originator: 'stack',
      owner: '',
      postedBy: '',
      slug: 'settings',
      sourceId: 'svc/stack//oauth-clients/',
      category: 'oauth-clients',
      data,
      preferredChannels: ['mail'],
      status: 'queued',
      title: 'Too many connected apps',
    })
    expect(record.flags).to.deep.equal({
      collapsible: false,
      stateful: false,
      multiple: false,
      sensitive: false,
    })
    const stored = await server.outbox.get(server.instance.id, record.id)
    expect(stored?.record).to.deep.equal(record)
  })

  it('tell of a space that is nearly full, by push, at most once a week', async () => {
    const server = await start()
    const quota = (state: boolean | number) =>
      post(server, {
        originator: 'stack',
        category: 'disk-quota',
        state,
        data: { OffersLink: '', DriveLink: 'https://x' },
      })
    const first = await quota(true)
    expect(first).to.deep.include({
      status: 'queued',
      state: 'true',
      preferredChannels: ['mobile'],
      data: { appName: '', OffersLink: '', DriveLink: 'https://x' },
    })
    expect(first).not.to.have.property('slug')
    expect(first.flags).to.include({
      collapsible: true,
      stateful: true,
      minIntervalMs: 7 * DAY_MS,
    })
    expect((await quota(true)).id, 'the same').to.equal(first.id)

    const cleared = await quota(false)
    expect(cleared).to.include({ status: 'skipped', reason: 'state_cleared', state: 'false' })
    expect(cleared.finishedAt).to.equal(cleared.createdAt)
    expect(cleared.lastSentAt).to.equal(first.lastSentAt)
    expect((await quota(false)).id).to.equal(cleared.id)

    const soon = await quota(true)
    expect(soon).to.include({ status: 'skipped', reason: 'min_interval' })
    server.clock.advance(7 * DAY_MS)
    const later = await quota(true)
    expect(later.status).to.equal('queued')
  })

  it('tell of an alert at once that was only ever over before', async () => {
    const server = await start()
    const quota = { originator: 'stack', category: 'disk-quota' } as const
    expect((await post(server, { ...quota, state: 0 })).reason).to.equal('state_cleared')
    expect((await post(server, { ...quota, state: true })).status).to.equal('queued')
  })

  for (const locale of MAIL_LOCALES) {
    it(`has words in ${locale}`, async () => {
      const server = await start({ locale })
      const clients = await post(server, { originator: 'stack', category: 'oauth-clients' })
      const quota = await post(server, { originator: 'stack', category: 'disk-quota', state: true })
      for (const { title, message } of [clients, quota]) {
        expect([title, message].every((text) => (text ?? '').length > 10)).to.equal(true)
        if (locale !== 'en') expect(title).not.to.match(/apps$|full/)
      }
    })
  }

  it('may ask for other channels', async () => {
    const server = await start()
    const record = await post(server, {
      originator: 'stack',
      category: 'oauth-clients',
      preferredChannels: ['sms', 'mail'],
    })
    expect(record.preferredChannels).to.deep.equal(['sms', 'mail'])
  })

  it('know no other category, and need a state where it counts', async () => {
    const server = await start()
    for (const category of ['other', 'plain', '__proto__', '']) {
      expect(await codesOf(post(server, { originator: 'stack', category }))).to.deep.equal([
        403,
        ['category_not_found', undefined],
      ])
    }
    expect(
      await codesOf(post(server, { originator: 'stack', category: 'disk-quota' })),
    ).to.deep.equal([422, ['state_required', { pointer: '/data/attributes/state' }]])
  })
})

describe('notifications of the operator (2.7)', () => {
  it('come with their declaration, and are judged like any other', async () => {
    const server = await start({ timeZone: 'Asia/Tokyo' })
    const tomorrow = new Date(server.clock.now() + 2 * DAY_MS).toISOString().slice(0, 10)
    const fine = await post(server, {
      originator: 'cli',
      category: 'maintenance',
      title: 'Tonight',
      message: 'm',
      declaration: { multiple: true, default_priority: 'high', time_to_live: '1d' },
      categoryId: 'a/b',
      at: tomorrow,
      slug: 'home',
    })
    expect(fine).to.include({
      originator: 'cli',
      owner: 'home',
      slug: 'home',
      postedBy: '',
      priority: 'high',
      sourceId: 'svc/cli/home/maintenance/a%2Fb',
      status: 'scheduled',
      title: 'Tonight',
      scheduledAt: Date.parse(`${tomorrow}T00:00:00+09:00`),
    })
    expect(fine.flags.ttlMs).to.equal(DAY_MS)
  })

  it('are refused as the endpoint refuses them', async () => {
    const server = await start()
    const cli = { originator: 'cli', category: 'c' } as const
    const title = { pointer: '/data/attributes/title' }
    expect(await codesOf(post(server, cli))).to.deep.equal([400, ['invalid_notification', title]])
    for (const more of [{ declaration: { multiple: 'yes' } }, { category: 'not a name' }]) {
      const codes = await codesOf(post(server, { ...cli, title: 't', ...more }))
      expect(codes).to.deep.equal([400, ['invalid_notification', undefined]])
    }
    expect(
      await codesOf(post(server, { ...cli, title: 't', message: 'm'.repeat(10_001), at: 'x' })),
    ).to.deep.equal([
      422,
      ['invalid_attribute', { pointer: '/data/attributes/message' }],
      ['invalid_at', { pointer: '/data/attributes/at' }],
    ])
  })
})
