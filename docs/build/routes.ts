import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createActivity, ERRORS as ACTIVITY_ERRORS } from '../../packages/activity/src/index.ts'
import { createAuthUi, ERRORS as AUTH_UI_ERRORS } from '../../packages/auth-ui/src/index.ts'
import {
  type AccountStore,
  createConnectors,
  ERRORS as CONNECTOR_ERRORS,
} from '../../packages/connectors/src/index.ts'
import { createMcp, ERRORS as MCP_ERRORS } from '../../packages/mcp/src/index.ts'
import { createNotify, ERRORS as NOTIFY_ERRORS } from '../../packages/notify/src/index.ts'
import { createOAuth, ERRORS as OAUTH_ERRORS } from '../../packages/oauth-core/src/index.ts'
import { type RouteRow } from '../../packages/platform/src/index.ts'
import { ERRORS as LOAD_ERRORS, REQUEST_ERRORS } from '../../packages/platform/src/index.ts'
import { createRealtime, ERRORS as REALTIME_ERRORS } from '../../packages/realtime/src/index.ts'
import { StoreUnavailableError } from '../../packages/store/src/index.ts'
import { sqliteStore } from '../../packages/store/src/sqlite/index.ts'
import { ROOT } from './document.ts'
import type { ErrorGroup } from './errors.ts'
import { hostRows } from './host-rows.ts'

/** The endpoints of one package. */
export interface RouteGroup {
  readonly name: string
  readonly title: string
  readonly rows: readonly RouteRow[]
}

/** Every package's error table. */
export const errorGroups: readonly ErrorGroup[] = [
  { name: '@svc/platform', errors: { ...REQUEST_ERRORS, ...LOAD_ERRORS } },
  { name: '@svc/store', errors: storeErrors() },
  { name: '@svc/oauth-core', errors: OAUTH_ERRORS },
  { name: '@svc/auth-ui', errors: AUTH_UI_ERRORS },
  { name: '@svc/activity', errors: ACTIVITY_ERRORS },
  { name: '@svc/notify', errors: NOTIFY_ERRORS },
  { name: '@svc/connectors', errors: CONNECTOR_ERRORS },
  { name: '@svc/realtime', errors: REALTIME_ERRORS },
  { name: '@svc/mcp', errors: MCP_ERRORS },
]

/** The one error of the store that is answered as it is. */
function storeErrors(): ErrorGroup['errors'] {
  const { code, status } = new StoreUnavailableError('')
  const text =
    'The store cannot be reached, and nothing is known about what was asked. Try again after `Retry-After`.'
  return { [code]: { status, text, source: 'decision D6' } }
}

/** Nobody asks for one: only the routes are looked at. */
const NO_ACCOUNTS: AccountStore = {
  get: () => Promise.resolve(undefined),
  create: () => Promise.reject(new Error('unused')),
  update: () => Promise.resolve(undefined),
  delete: () => Promise.resolve(false),
  list: () => Promise.resolve({ accounts: [] }),
}

/** The routes of all endpoints, as the assembled packages have them. */
export async function routeGroups(): Promise<RouteGroup[]> {
  const store = sqliteStore({ file: ':memory:' })
  const apps = {
    installed: () => Promise.resolve(undefined),
    listInstalled: () => Promise.resolve([]),
    available: () => Promise.resolve(undefined),
  }
  const oauth = createOAuth({ store, apps, keys: [{ kid: 'docs', key: randomBytes(32) }] })
  const mail = { transport: { send: () => Promise.resolve() } }
  const notify = createNotify({ oauth, channels: { mail } })
  const ui = createAuthUi({ oauth, mailer: notify.mailer })
  const activity = createActivity({ platform: oauth, owners: ui.settingsOwners })
  const realtime = createRealtime({ oauth })
  const mcp = createMcp({ oauth })
  const connectors = createConnectors({ oauth, accounts: NO_ACCOUNTS, sessions: ui.sessions })
  const host = hostRows({ oauth, apps, ui, notify, connectors })
  await connectors.close()
  await realtime.close()
  await notify.close()
  await ui.close()
  await activity.close()
  await oauth.close()
  await store.close()
  return [
    { name: '@svc/oauth-core', title: 'clients, authorizations, tokens', rows: oauth.rows },
    { name: '@svc/auth-ui', title: 'the owner in a browser', rows: ui.rows },
    { name: '@svc/activity', title: 'what happened in a space', rows: activity.rows },
    { name: '@svc/notify', title: 'notifications to the owner', rows: notify.rows },
    { name: '@svc/connectors', title: 'accounts at other providers', rows: connectors.rows },
    { name: '@svc/realtime', title: 'events over a websocket', rows: realtime.rows },
    { name: '@svc/mcp', title: 'tools for assistants', rows: mcp.rows },
    {
      name: 'examples/host',
      title: 'documents, links that share them, and what would be sent',
      rows: host,
    },
  ]
}

/** Version of the packages: they are versioned together. */
export function version(): string {
  const manifest = readFileSync(path.join(ROOT, 'packages/oauth-core/package.json'), 'utf8')
  // The workspace's own manifest: it has a version.
  return (JSON.parse(manifest) as { version: string }).version
}
