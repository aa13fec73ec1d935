import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { NEW, OLD, press } from '../support/email-change.ts'
import type { EmailProcessArguments } from '../support/email-process.ts'
import { ownerAt } from '../support/factor-flows.ts'
import { startUi } from '../support/ui-server.ts'

const PROGRAM = path.join(import.meta.dirname, '../support/email-process.ts')

describe('a server that is killed between the mail and the write', function () {
  this.timeout(30_000)

  for (const stopsAt of ['update_email', 'email_changed'] as const) {
    it(`leaves the old mail address working (${stopsAt})`, async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'svc-email-'))
      const key = randomBytes(32)
      const file = path.join(folder, 'store.db')
      try {
        const told: EmailProcessArguments = { file, key: key.toString('base64'), stopsAt }
        const child = fork(PROGRAM, [JSON.stringify(told)])
        const ended = once(child, 'exit')
        const [token] = (await once(child, 'message')) as [string]
        child.kill('SIGKILL')
        await ended
        const store = sqliteStore({ file })
        const server = await startUi({ store, key })
        try {
          const stored = async (): Promise<string | undefined> =>
            (await server.oauth.instances.byHost('alice.example.com'))?.email
          expect(await stored()).to.equal(OLD)
          const owner = await ownerAt(server)
          if (stopsAt === 'email_changed') {
            // The link goes on working once the proof that died counts as ended.
            server.clock.advance(60_001)
            expect((await press(owner.browser, '/auth/email', token)).status).to.equal(200)
            expect(await stored()).to.equal(NEW)
          }
        } finally {
          await server.close()
          await store.close()
        }
      } finally {
        await rm(folder, { recursive: true })
      }
    })
  }
})
