import { eachStore, until } from '@svc/testkit'
import { expect } from 'chai'
import { startIntake, type IntakeServer } from '../support/intake-server.ts'
import { manageClient } from '../support/manage-client.ts'

eachStore((open, storeName) => {
  describe('categories of an unlinked client (notifications.md 4.1, clients.md 33)', () => {
    const start = async (sameAs?: IntakeServer): Promise<IntakeServer> =>
      startIntake({
        store: (clock) => open({ clock, ...(sameAs && { sameAs: sameAs.store }) }),
        ...(sameAs && { sameAs }),
      })

    async function addOne(server: IntakeServer, posting: IntakeServer): Promise<void> {
      const { oauth, instance } = server
      const managed = await manageClient(oauth, instance, { notifications: { old: {} } })
      const tokens = await oauth.clients.issueTokens(instance, managed.id, 'io.svc.notifications')
      const headers = { authorization: `Bearer ${tokens?.access_token}` }
      const post = async (category: string) =>
        (await posting.post(headers, { category, title: 'x' })).status
      expect([await post('old'), await post('added')]).to.deep.equal([201, 403])
      await managed.put({ notifications: { added: {} } })
      // Another process hears of it by a message, which may arrive behind the answer.
      if (posting !== server)
        await until(async () => (await post('added')) === 201, { limitMs: 900 })
      expect([await post('added'), await post('old')], 'at once').to.deep.equal([201, 403])
    }

    it('count as soon as the PUT that sets them is answered', async () => {
      const server = await start()
      await addOne(server, server)
    })

    if (storeName === 'Redis') {
      it('count in another process at once', async () => {
        const server = await start()
        await addOne(server, await start(server))
      })
    }
  })
})
