import type { Instance } from '@svc/platform'
import { anyStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { findStages } from '../../src/channels/mobile/stages.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { createOutbox } from '../../src/outbox/outbox.ts'
import { settleItem } from '../../src/engine/digests.ts'
import { createTemplateEngine } from '../../src/render/template-engine.ts'
import { closeServers, startNotify } from '../support/notify-server.ts'
import { openOwnerDevices } from '../support/owner-devices.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { sampleRecord } from '../support/sample-record.ts'

const ALICE = { id: 'alice' as Instance['id'] }

anyStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('rules of notifications that little else shows', () => {
    afterEach(closeServers)

    it('a flagship device is none of the app it is linked to: it names the app (16.1.3)', async () => {
      const clock = fakeClock()
      const owner = await openOwnerDevices(await open({ clock }), clock)
      try {
        await owner.add({ token: 'plain', softwareId: 'registry://drive' })
        await owner.add({ token: 'flagship', softwareId: 'registry://drive', flagship: true })
        const stages = await findStages(owner.oauth, owner.instance, { slug: 'drive' })
        const tokens = (all: readonly { token: string }[]) => all.map(({ token }) => token)
        expect(tokens(stages.dedicated)).to.deep.equal(['plain'])
        expect(tokens(stages.flagship)).to.deep.equal(['flagship'])
      } finally {
        await owner.close()
      }
    })

    it('what the server itself says has no way out in its mails (23.3)', async () => {
      const server = await startNotify({ store: (clock) => open({ clock }) })
      const declaration = {}
      const common = { originator: 'cli', declaration, title: 'Offer' } as const
      await server.notify.post(server.instance, { ...common, category: 'offer' })
      await server.notify.post(server.instance, { originator: 'stack', category: 'oauth-clients' })
      await server.mailbox.waitForMail((_) => server.mailbox.mails.length === 2)
      for (const mail of server.mailbox.mails) {
        const names = mail.headers.map(({ key }) => key).filter((key) => key.startsWith('list-'))
        expect(names).to.deep.equal([])
        expect(mail.text).to.not.include('/notifications/unsubscribe')
      }
    })

    for (const [what, changed] of [
      ['held by a worker', { lease: { token: 'x', until: 9_999_999_999_999 } }],
      ['cancelled', { status: 'cancelled', finishedAt: 1 }],
    ] as const) {
      it(`a digest overwrites no item that is ${what} meanwhile (12.3)`, async () => {
        const clock = fakeClock()
        const store = await open({ clock })
        const { log } = recordedLog()
        const outbox = createOutbox({ store, clock, log, lifetimes: DEFAULT_LIFETIMES })
        const record = sampleRecord({ status: 'queued', digestId: '1', dueAt: clock.now() })
        await outbox.insert(ALICE.id, record)
        const gathered = await outbox.get(ALICE.id, record.id)
        if (gathered === undefined) throw new Error('not accepted')
        await outbox.update(gathered, { ...gathered.record, ...changed })
        await settleItem({ outbox }, gathered, (before) => ({ ...before, status: 'sent' }))
        const after = await outbox.get(ALICE.id, record.id)
        expect(after?.record).to.deep.include(changed)
        expect(after?.record.status).to.not.equal('sent')
      })
    }
  })
})

describe('templates of apps that keep what they made (10.3)', () => {
  it('have it counted: no number of captures fills the memory', () => {
    const big = '{% for i in (1..400) %}0123456789012345678901234567890123456789{% endfor %}'
    const capture = (name: string, what: string): string =>
      `{% capture ${name} %}${what}{% endcapture %}`
    const source = [
      capture('a', big.repeat(20)),
      ...Array.from({ length: 20 }, (_, number) => capture(`b${number}`, '{{ a }}')),
    ].join('')
    const { render } = createTemplateEngine()
    expect(() => render('text', source, {})).to.throw('memory alloc limit exceeded')
    expect(render('text', `${capture('a', 'x')}{{ a }}`, {})).to.equal('x')
  })
})
