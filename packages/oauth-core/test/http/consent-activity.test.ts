import type { ActivityEvent, ActivityLog } from '@svc/platform'
import { indexKey, type Json, recordKey, type Store } from '@svc/store'
import { anyStore, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { type ConsentServer, startConsentServer, tokensAt } from './consent-server.ts'

anyStore((open) => {
  describe('what a consent notes', () => {
    let clock: FakeClock
    let store: Store
    let server: ConsentServer

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      server = await startConsentServer({ store, clock })
      server.oauth.useActivity(recordInStore())
    })

    it('is one loss of rights, however many tokens the client had', async () => {
      const party = await server.client()
      const allow = async (fields: Readonly<Record<string, string>>): Promise<void> => {
        const scope = 'io.svc.files:GET io.svc.contacts'
        const browser = server.browser()
        const page = await server.page(party, { scope }, browser)
        const shown = Object.fromEntries(page.page().form('/auth/authorize').fields)
        const { location = '' } = await browser.post('/auth/authorize', { ...shown, ...fields })
        await tokensAt(party, { location })
      }
      for (let at = 0; at < 3; at += 1) await allow({})
      expect(await noted()).to.deep.equal(['consent.given', 'consent.given', 'consent.given'])
      await allow({ choice: '1', 'permission-0': '1' })
      const events = await noted()
      expect(events.filter((event) => event === 'consent.given')).to.have.length(4)
      expect(events.filter((event) => event === 'rights.reduced')).to.have.length(1)
    })

    async function noted(): Promise<readonly string[]> {
      const { records } = await store.list(indexKey(server.alice.id, 'noted'))
      return records.map(({ value }) => (value as unknown as ActivityEvent).event) // Written below.
    }
  })
})

function recordInStore(): ActivityLog {
  return {
    pending({ id }, event) {
      const name = randomUUID()
      const indexes = [{ index: indexKey(id, 'noted'), sort: name }]
      const value = event as unknown as Json // Texts and numbers.
      return [{ op: 'put', key: recordKey(id, 'noted', name), value, indexes }]
    },
    refused: async () => {},
    used() {},
  }
}
