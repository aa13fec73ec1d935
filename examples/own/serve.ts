// What the recipes have in common: a server with one owner, and the recipe's own options.
import { type AuthUi, type AuthUiOptions, createAuthUi } from '@svc/auth-ui'
import { type AuthorizePages, createOAuth, type OAuthOptions } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import { randomBytes } from 'node:crypto'
import Koa from 'koa'

const { DOMAIN = 'alice.localhost:8080', PORT = '8080', LOCALE = 'en' } = process.env

export interface Own {
  readonly oauth?: Partial<OAuthOptions>
  readonly ui?: Partial<AuthUiOptions>
  readonly pages?: (ui: AuthUi) => AuthorizePages
}

export async function serve(own: Own): Promise<void> {
  const store = sqliteStore({ file: ':memory:' })
  const keys = [{ kid: '1', key: randomBytes(32) }]
  const oauth = createOAuth({ store, keys, ...own.oauth })
  const ui = createAuthUi({ oauth, mailer: { send: async () => {} }, ...own.ui })
  oauth.useSessions(ui.sessions)

  const app = new Koa()
  app.use(oauth.resolveInstance())
  app.use(ui.routes())
  app.use(oauth.routes({ pages: own.pages?.(ui) ?? ui.pages }))
  await Promise.all([oauth.start(), ui.start()])
  app.listen(Number(PORT), '127.0.0.1')
  const made = await ui.owners.createInstance({ domain: DOMAIN, locale: LOCALE })
  process.stdout.write(`Open ${made.onboardingUrl}\n`)
}
