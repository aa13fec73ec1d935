import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { engineBenches } from '../support/engine-benches.ts'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'
import { registerClient } from '../support/register-client.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'

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
      const { instance, oauth } = server
      const id = await registerClient(oauth, instance, { software_id: 'registry://bank' })
      const tokens = await oauth.clients.issueTokens(instance, id, `@${BANK}`)
      const headers = { authorization: `Bearer ${tokens?.access_token}` }
      return {
        id,
        async post(attributes = {}) {
          const json = { data: { attributes: { category: 'bills', title: 'Bill', ...attributes } } }
          const answer = await server.send('POST', '/notifications', { headers, json })
          expect(answer.status, answer.text).to.equal(201)
          return (answer.json as unknown as { data: { id: string } }).data.id
        },
      }
    }
    const inAnHour = (): string => new Date(server.clock.now() + HOUR_MS).toISOString()

    it('is cancelled at once when the client is deleted, and nothing of others', async () => {
      await begin()
      const [gone, other] = [await linked(), await linked()]
      const at = inAnHour()
      const told = await gone.post({ title: 'Told' })
      await until(async () => (await server.read(told))['status'] === 'sent')
      const waiting = await gone.post({ title: 'Of the one that is gone', at })
      const ofOther = await other.post({ title: 'Of the other one', at })
      const ofApp = await server.post({ category: 'bills', title: 'Of the app', at })
      expect(await server.oauth.clients.revoke(server.instance, gone.id, 'by its owner')).to.equal(
        true,
      )
      await until(async () => (await server.read(waiting))['status'] === 'cancelled')
      expect(await server.read(waiting)).to.include({ reason: 'source_gone' })
      server.clock.advance(HOUR_MS + 1000)
      await until(async () => (await server.read(ofOther))['status'] === 'sent')
      await until(async () => (await server.read(ofApp))['status'] === 'sent')
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
      await until(async () => (await server.read(id))['status'] === 'cancelled')
      expect(await server.read(id)).to.include({ reason: 'source_gone' })
      expect(server.mailbox.mails).to.have.length(0)
    })

    it('is in no digest that goes out after it', async () => {
      await begin()
      server.clock.set(Date.parse('2027-01-10T10:01:00Z'))
      const categories = [{ name: 'bills', digest: '1h' }]
      const chosen = await server.send('PATCH', '/notifications/preferences', {
        headers: await server.app('settings'),
        json: { data: { attributes: { sources: [{ id: BANK, categories }] } } },
      })
      expect(chosen.status, chosen.text).to.equal(200)
      const client = await linked()
      const gone = await client.post({ title: 'Of nobody' })
      const kept = await server.post({ category: 'bills', title: 'Of the app' })
      await Promise.all([server.gathered(gone), server.gathered(kept)])
      // Nobody is told of this one.
      await server.oauth.clients.revokeGrants(server.instance, 'by its owner')
      server.clock.set(Date.parse('2027-01-10T11:00:01Z'))
      const digest = await server.mailbox.waitForMail(() => true, 8000)
      expect(digest.text).to.include('Of the app').and.to.not.include('Of nobody')
      await until(async () => (await server.read(gone))['status'] === 'cancelled')
    })
  })
})
