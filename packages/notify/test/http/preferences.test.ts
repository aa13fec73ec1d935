import { HOUR_MS } from '@svc/platform'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'
import { until } from '../support/until.ts'

const PATH = '/notifications/preferences'
const BANK = 'io.svc.apps/bank'

interface Chosen {
  readonly time_zone: string | null
  readonly quiet_hours: { readonly start: string; readonly end: string } | null
  readonly sources: readonly {
    readonly id: string
    readonly blocked: boolean
    readonly muted_until: string | null
    readonly categories: readonly {
      readonly name: string
      readonly channels: Readonly<Record<string, boolean>>
      readonly muted_until: string | null
      readonly digest: string | null
    }[]
  }[]
}

describe('preferences of the owner (notifications.md 23)', () => {
  eachStore((open) => {
    let server: NotifyServer
    afterEach(closeServers)
    const start = async (timeZone?: string): Promise<void> => {
      server = await startNotify({
        store: (clock) => open({ clock }),
        ...(timeZone !== undefined && { timeZone }),
      })
    }

    const choose: NotifyServer['choose'] = (...given) => server.choose(...given)

    async function chosen(): Promise<Chosen> {
      const answer = await server.send('GET', PATH, { headers: await server.app('settings') })
      expect(answer.status).to.equal(200)
      return (answer.json as unknown as { data: { attributes: Chosen } }).data.attributes
    }

    const category = (name: string, choice: object) => ({
      sources: [{ id: BANK, categories: [{ name, ...choice }] }],
    })

    it('show every category of what may post, everything on at first', async () => {
      await start()
      server.konnectors.set('quiet', { slug: 'quiet', permissions: {} })
      expect(await chosen()).to.deep.equal({
        time_zone: null,
        quiet_hours: null,
        sources: [
          {
            id: BANK,
            kind: 'app',
            name: 'Bank',
            slug: 'bank',
            blocked: false,
            muted_until: null,
            categories: ['balance', 'bills'].map((name) => ({
              name,
              description: name === 'balance' ? 'The balance of an account is low' : 'A new bill',
              channels: { mobile: true, sms: true, mail: true },
              muted_until: null,
              digest: null,
            })),
          },
        ],
      })
    })

    it('are changed where they are named, the rest stays', async () => {
      await start()
      expect((await choose({ quiet_hours: { start: '22:00', end: '07:00' } })).status).to.equal(200)
      expect((await choose(category('balance', { channels: { sms: false } }))).status).to.equal(200)
      const until = '2099-01-01T00:00:00.000Z'
      expect(
        (await choose(category('bills', { digest: '1h', muted_until: until }))).status,
      ).to.equal(200)
      expect((await choose({ time_zone: 'Europe/Paris' })).status).to.equal(200)
      const now = await chosen()
      expect(now.quiet_hours).to.deep.equal({ start: '22:00', end: '07:00' })
      expect(now.time_zone).to.equal('Europe/Paris')
      const [balance, bills] = now.sources[0]?.categories ?? []
      expect(balance?.channels).to.deep.equal({ mobile: true, sms: false, mail: true })
      expect(bills).to.include({ digest: '1h', muted_until: until })
      const fresh = await server.oauth.instances.fresh(server.instance.id)
      expect(fresh?.timeZone, 'a setting of the instance').to.equal('Europe/Paris')

      const back = {
        quiet_hours: null,
        time_zone: null,
        ...category('bills', { digest: null, muted_until: null }),
      }
      expect((await choose(back)).status).to.equal(200)
      const after = await chosen()
      expect(after.quiet_hours).to.equal(null)
      expect(after.time_zone).to.equal(null)
      expect(after.sources[0]?.categories[1]).to.include({ digest: null, muted_until: null })
      expect(after.sources[0]?.categories[0]?.channels['sms']).to.equal(false)
    })

    it('refuse what makes no sense, all of it at once, and change nothing then', async () => {
      await start()
      const answer = await choose({
        time_zone: 'Mars/Olympus',
        quiet_hours: { start: '08:00', end: '08:00' },
        sources: [
          { id: 'io.svc.apps/none' },
          {
            id: BANK,
            muted_until: 'tomorrow',
            categories: [
              { name: 'none', digest: '2h' },
              { name: 'bills', muted_until: '2026-01-01' },
            ],
          },
        ],
      })
      expect(answer.status).to.equal(422)
      expect(answer.json.errors?.map(({ source }) => source?.pointer)).to.deep.equal([
        '/data/attributes/time_zone',
        '/data/attributes/quiet_hours',
        '/data/attributes/sources/0/id',
        '/data/attributes/sources/1/muted_until',
        '/data/attributes/sources/1/categories/0/name',
        '/data/attributes/sources/1/categories/0/digest',
        '/data/attributes/sources/1/categories/1/muted_until',
      ])
      expect(await chosen()).to.deep.include({ time_zone: null, quiet_hours: null })
    })

    const malformed: readonly (readonly [what: string, body: unknown, status: number])[] = [
      ['no attributes', { data: {} }, 400],
      ['a list', [], 400],
      ['an unknown member', { data: { attributes: { volume: 11 } } }, 422],
      [
        'a channel there is not',
        { data: { attributes: category('bills', { channels: { fax: true } }) } },
        422,
      ],
      [
        'a time that is none',
        { data: { attributes: { quiet_hours: { start: '25:00', end: '07:00' } } } },
        422,
      ],
      [
        '__proto__',
        JSON.parse('{"data":{"attributes":{"__proto__":{"x":1},"sources":[{"id":"__proto__"}]}}}'),
        422,
      ],
    ]
    it('refuse what has another form', async () => {
      await start()
      const headers = await server.app('settings')
      for (const [what, json, status] of malformed) {
        const answer = await server.send('PATCH', PATH, { headers, json })
        expect(answer.status, `${what} ${answer.text}`).to.equal(status)
        expect(answer.headers['content-type']).to.match(/^application\/vnd\.api\+json/)
      }
    })

    it('answer 409 to a revision that is no more', async () => {
      await start()
      const first = await choose({
        time_zone: 'UTC',
        quiet_hours: { start: '22:00', end: '07:00' },
      })
      const { meta } = (first.json as unknown as { data: { meta: { rev: string } } }).data
      expect((await choose({ quiet_hours: null }, meta)).status).to.equal(200)
      expect((await choose({ quiet_hours: null }, meta)).status).to.equal(409)
    })

    it('lose nothing when twenty change different things at once', async () => {
      await start()
      const names = ['balance', 'bills'] as const
      const channels = ['mobile', 'sms', 'mail'] as const
      const answers = await Promise.all(
        names.flatMap((name) =>
          channels.map((channel) => choose(category(name, { channels: { [channel]: false } }))),
        ),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(6).fill(200))
      const { sources } = await chosen()
      for (const { channels: left } of sources[0]?.categories ?? []) {
        expect(left).to.deep.equal({ mobile: false, sms: false, mail: false })
      }
    })

    it('mute a category: what comes then is skipped, and the other one is not', async () => {
      await start()
      await choose(category('balance', { channels: { mobile: false, sms: false, mail: false } }))
      const muted = await server.post({ category: 'balance', title: 'Muted' })
      await server.post({ category: 'bills', title: 'Bill' })
      await server.mailbox.waitForMail((mail) => mail.subject === 'Bill')
      expect(await server.becomes(muted, 'skipped')).to.include({ reason: 'muted' })
      expect(server.mailbox.mails.map(({ subject }) => subject)).to.deep.equal(['Bill'])
    })

    it('block an app, and mute it for a while', async () => {
      await start()
      await choose({ sources: [{ id: BANK, blocked: true }] })
      const blocked = await server.post({ category: 'balance', priority: 'high' })
      await server.becomes(blocked, 'skipped')
      const muted_until = new Date(server.clock.now() + HOUR_MS).toISOString()
      await choose({ sources: [{ id: BANK, blocked: false, muted_until }] })
      const silent = await server.post({ category: 'balance' })
      await server.becomes(silent, 'skipped')
      server.clock.advance(HOUR_MS)
      await server.post({ category: 'balance', title: 'Loud again' })
      await server.mailbox.waitForMail((mail) => mail.subject === 'Loud again')
    })

    it('go past a channel that is off to the next one', async () => {
      await start()
      await choose(category('balance', { channels: { sms: false } }))
      await server.post({ category: 'balance', preferred_channels: ['sms', 'mail'], message: 'x' })
      await server.mailbox.waitForMail()
      expect(server.texts).to.have.length(0)
      await choose(category('balance', { channels: { sms: true } }))
      await server.post({ category: 'balance', preferred_channels: ['sms', 'mail'], message: 'x' })
      await until(() => server.texts.length === 1)
    })

    it('hold back until the quiet hours end; high priority passes', async () => {
      await start('Europe/Paris')
      // 23:30 in Paris in winter.
      server.clock.set(Date.parse('2027-01-10T22:30:00Z'))
      await choose({ quiet_hours: { start: '22:00', end: '07:00' } })
      const calm = await server.post({ category: 'balance', title: 'Calm' })
      await server.post({ category: 'balance', title: 'Fire', priority: 'high' })
      await server.mailbox.waitForMail((mail) => mail.subject === 'Fire')
      expect(await server.read(calm)).to.include({ status: 'queued' })
      // 07:00 in Paris.
      server.clock.set(Date.parse('2027-01-11T05:59:00Z'))
      expect(await server.read(calm)).to.include({ status: 'queued' })
      server.clock.set(Date.parse('2027-01-11T06:00:01Z'))
      await server.mailbox.waitForMail((mail) => mail.subject === 'Calm', 8000)
    }).timeout(15_000)

    it('cannot silence what the server itself says', async () => {
      await start()
      await choose({ sources: [{ id: BANK, blocked: true }] })
      const { id } = await server.notify.post(server.instance, {
        originator: 'stack',
        category: 'oauth-clients',
      })
      expect(id).to.match(/^[0-9a-f-]{36}$/)
      await server.mailbox.waitForMail()
    })

    it('gather normal notifications into one mail, and let high priority through', async () => {
      await start()
      server.clock.set(Date.parse('2027-01-10T10:01:00Z'))
      await choose(category('bills', { digest: '15m' }))
      const ids = [
        await server.post({ category: 'bills', title: 'Water' }),
        await server.post({ category: 'bills', title: 'Light' }),
      ]
      await server.post({ category: 'bills', title: 'Urgent', priority: 'high' })
      await server.mailbox.waitForMail((mail) => mail.subject === 'Urgent')
      expect(server.mailbox.mails).to.have.length(1)
      await Promise.all(ids.map((id) => server.gathered(id)))
      server.clock.set(Date.parse('2027-01-10T10:15:01Z'))
      const digest = await server.mailbox.waitForMail((mail) => mail.subject !== 'Urgent', 8000)
      expect(digest.text).to.include('Water').and.to.include('Light')
      expect(digest.html).to.include('Water').and.to.include('Light')
      for (const id of ids) {
        expect(await server.becomes(id, 'sent')).to.include({ channel: 'mail' })
      }
      expect(server.mailbox.mails).to.have.length(2)
    }).timeout(15_000)

    it('go with the instance', async () => {
      await start()
      await choose({ quiet_hours: { start: '22:00', end: '07:00' } })
      await server.oauth.instances.remove(server.instance.id)
      const key = `{${server.instance.id}}:notification-preferences:preferences`
      expect(await server.store.get(key as Parameters<typeof server.store.get>[0])).to.equal(
        undefined,
      )
    })
  })
})
