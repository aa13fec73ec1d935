import { randomBytes } from 'node:crypto'
import { createAuthUi } from '@svc/auth-ui'
import { testConsentPage } from '@svc/auth-ui/testing'
import { createOAuth } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import { ownPages } from './pages.ts'

const oauth = createOAuth({
  store: sqliteStore({ file: ':memory:' }),
  keys: [{ kid: '1', key: randomBytes(32) }],
})
const ui = createAuthUi({ oauth, mailer: { send: async () => {} } })
const { instance } = await ui.owners.createInstance({ domain: 'alice.localhost:8080' })
const cases = await testConsentPage(ownPages(ui).consent, { instance })
process.stdout.write(`${cases.length} cases passed\n`)
