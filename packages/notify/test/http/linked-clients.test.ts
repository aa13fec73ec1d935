import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { engineBenches } from '../support/engine-benches.ts'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'

const BANK = 'io.svc.apps/bank'
const HOUR_MS = 3_600_000

interface LinkedClient {
  readonly id: string
  /** Posts a bill; answers its id. */
  post(attributes?: Readonly<Record<string, unknown>>): Promise<string>
}

eachStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('what a linked client leaves behind (notifications.md 11, 14)', () => {
    const start = engineBenches(open)
    let server: NotifyServer
    afterEach(closeServers)

    async function begin(): Promise<void> {
      server = await startNotify({ store: (clock) => open({ clock }) })
    }
    async function linked(): Promise<LinkedClient> {
      const { id, headers } = await server.client(`@${BANK}`, { software_id: 'registry://bank' })
      const bill = { category: 'bills', title: 'Bill' }
      return { id, post: (attributes = {}) => server.postAs(headers, { ...bill, ...attributes }) }
    }
    const inAnHour = (): string => new Date(server.clock.now() + HOUR_MS).toISOString()

    it('is cancelled at once when the client is deleted, and nothing of others', async () => {
      await begin()
      const [gone, other] = [await linked(), await linked()]
      const at = inAnHour()
      const told = await gone.post({ title: 'Told' })
      await server.becomes(told, 'sent')
      const waiting = await gone.post({ title: 'Of the one that is gone', at })
      const ofOther = await other.post({ title: 'Of the other one', at })
      const ofApp = await server.post({ category: 'bills', title: 'Of the app', at })
      expect(await server.oauth.clients.revoke(server.instance, gone.id, 'by its owner')).to.equal(
        true,
      )
      expect(await server.becomes(waiting, 'cancelled')).to.include({ reason: 'source_gone' })
      server.clock.advance(HOUR_MS + 1000)
      await server.becomes(ofOther, 'sent')
      await server.becomes(ofApp, 'sent')
      // What the owner was told stays the app's: its other clients and itself read it (D30).
      expect(await server.read(told)).to.include({ status: 'sent' })
      const subjects = server.mailbox.mails.map(({ subject }) => subject)
      expect(subjects).to.have.members(['Told', 'Of the other one', 'Of the app'])
    })

    it('is cancelled when it is due, should nobody have been told', async () => {
      const mail = scriptedChannel('mail')
      const bench = await start({ channels: [mail] })
      const id = await bench.post({ originator: 'oauth', linkedClientId: 'nobody' })
      expect((await bench.becomes(id, 'cancelled')).reason).to.equal('source_gone')
      expect(mail.deliveries).to.have.length(0)
    })

    it('is cancelled when all that the owner allowed the client has ended', async () => {
      await begin()
      const client = await linked()
      const id = await client.post({ at: inAnHour() })
      await server.oauth.clients.revokeGrants(server.instance, 'by its owner')
      server.clock.advance(HOUR_MS + 1000)
      expect(await server.becomes(id, 'cancelled')).to.include({ reason: 'source_gone' })
      expect(server.mailbox.mails).to.have.length(0)
    })

    it('is in no digest that goes out after it', async () => {
      await begin()
      server.clock.set(Date.parse('2027-01-10T10:01:00Z'))
      const categories = [{ name: 'bills', digest: '1h' }]
      await server.choose({ sources: [{ id: BANK, categories }] })
      const client = await linked()
      const gone = await client.post({ title: 'Of nobody' })
      const kept = await server.post({ category: 'bills', title: 'Of the app' })
      await Promise.all([server.gathered(gone), server.gathered(kept)])
      // Nobody is told of this one.
      await server.oauth.clients.revokeGrants(server.instance, 'by its owner')
      server.clock.set(Date.parse('2027-01-10T11:00:01Z'))
      const digest = await server.mailbox.waitForMail(() => true, 8000)
      expect(digest.text).to.include('Of the app').and.to.not.include('Of nobody')
      await server.becomes(gone, 'cancelled')
    })
  })
})
