import type { ServerResponse } from 'node:http'
import type { Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { withMember } from '../support/noted-events.ts'
import { createAlice, startUi } from '../support/ui-server.ts'

const OWNER_RECORD = /:owner:owner$/

/** @see login.md 5.5 */
describe('mails whose being sent no answer tells', () => {
  for (const path of ['/auth/hint', '/auth/onboarding/resend']) {
    it(`begin once the answer has left: POST ${path}`, async () => {
      let answering: ServerResponse | undefined
      /** At each look at the owner: whether the answer had left. */
      const hadLeft: boolean[] = []
      const own = sqliteStore({ file: ':memory:' })
      const get: Store['get'] = (key) => {
        if (answering !== undefined && OWNER_RECORD.test(key)) hadLeft.push(answering.closed)
        return own.get(key)
      }
      const server = await startUi({
        store: withMember(own, 'get', get),
        own: (app) =>
          app.use((ctx, next) => {
            answering = ctx.res
            return next()
          }),
      })
      try {
        await createAlice(server, { email: 'alice@example.org' })
        expect((await server.browser().post(path, {})).status).to.equal(200)
        await server.sentMails()
        expect(hadLeft).to.deep.equal([true])
      } finally {
        await server.close()
        await own.close()
      }
    })
  }
})
