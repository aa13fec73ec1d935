import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createDocumentStore } from '../../examples/host/src/data/document-store.ts'
import { dataRoutes } from '../../examples/host/src/data/data-routes.ts'
import { mailRoutes } from '../../examples/host/src/dev-mails/mail-routes.ts'
import { createDevMailbox } from '../../examples/host/src/dev-mails/mailbox.ts'
import { previewRoutes } from '../../examples/host/src/dev-mails/preview-routes.ts'
import { createAuthUi, ERRORS as AUTH_UI_ERRORS } from '../../packages/auth-ui/src/index.ts'
import {
  createOAuth,
  ERRORS as OAUTH_ERRORS,
  type RouteRow,
} from '../../packages/oauth-core/src/index.ts'
import { createRealtime, ERRORS as REALTIME_ERRORS } from '../../packages/realtime/src/index.ts'
import { sqliteStore } from '../../packages/store/src/sqlite/index.ts'
import { ROOT } from './document.ts'
import type { ErrorGroup } from './errors.ts'

/** The endpoints of one package. */
export interface RouteGroup {
  readonly name: string
  readonly title: string
  readonly rows: readonly RouteRow[]
}

/** Every package's error table. */
export const errorGroups: readonly ErrorGroup[] = [
  { name: '@svc/oauth-core', errors: OAUTH_ERRORS },
  { name: '@svc/auth-ui', errors: AUTH_UI_ERRORS },
  { name: '@svc/realtime', errors: REALTIME_ERRORS },
]

/** The rows of all endpoints, as the assembled packages have them. */
export async function routeGroups(): Promise<RouteGroup[]> {
  const store = sqliteStore({ file: ':memory:' })
  const apps = {
    installed: () => Promise.resolve(undefined),
    listInstalled: () => Promise.resolve([]),
    available: () => Promise.resolve(undefined),
  }
  const oauth = createOAuth({ store, apps, keys: [{ kid: 'docs', key: randomBytes(32) }] })
  const ui = createAuthUi({ oauth, mailer: { send: () => Promise.resolve() } })
  const host = [
    ...dataRoutes(oauth, createDocumentStore(store)),
    ...previewRoutes({ render: () => Promise.reject(new Error('unused')), clock: oauth.clock }),
    ...mailRoutes(createDevMailbox(store, oauth.clock)),
  ]
  const realtime = createRealtime({ oauth })
  await realtime.close()
  await ui.close()
  await oauth.close()
  await store.close()
  return [
    { name: '@svc/oauth-core', title: 'clients, authorizations, tokens', rows: oauth.rows },
    { name: '@svc/auth-ui', title: 'the owner in a browser', rows: ui.rows },
    { name: '@svc/realtime', title: 'events over a websocket', rows: realtime.rows },
    { name: 'examples/host', title: 'a small resource and the development mailbox', rows: host },
  ]
}

/** Version of the packages: they are versioned together. */
export function version(): string {
  const manifest = readFileSync(path.join(ROOT, 'packages/oauth-core/package.json'), 'utf8')
  // The workspace's own manifest: it has a version.
  return (JSON.parse(manifest) as { version: string }).version
}
