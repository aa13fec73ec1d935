import { DAY_MS } from '@svc/platform'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { MAIL_LOCALES } from '../../src/index.ts'
import { NotifyError } from '../../src/notify-error.ts'
import type { InternalNotification } from '../../src/notify.ts'
import type { IntakeServer } from '../support/intake-server.ts'
import { memoryIntake } from '../support/memory-intake.ts'

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
    const record = await post(server, {
      originator: 'cli',
      category: 'maintenance',
      title: 'Tonight',
      message: 'm',
      declaration: { multiple: true, default_priority: 'high', time_to_live: '1d' },
      categoryId: 'a/b',
      at: '2099-01-01',
      slug: 'home',
    }).catch((error: unknown) => error)
    expect(record).to.be.instanceOf(NotifyError)
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
    expect(
      await codesOf(post(server, { ...cli, title: 't', declaration: { multiple: 'yes' } })),
    ).to.deep.equal([400, ['invalid_notification', undefined]])
    expect(
      await codesOf(post(server, { ...cli, title: 't', category: 'not a name' })),
    ).to.deep.equal([400, ['invalid_notification', undefined]])
    expect(
      await codesOf(post(server, { ...cli, title: 't', message: 'm'.repeat(10_001), at: 'x' })),
    ).to.deep.equal([
      422,
      ['invalid_attribute', { pointer: '/data/attributes/message' }],
      ['invalid_at', { pointer: '/data/attributes/at' }],
    ])
  })
})
