/** What of the packages tells a host, is told by one, or goes out: the lists of docs/reference/events.md. */

/** An interface of the page. */
export interface Listed {
  /** Folder of the package. */
  readonly folder: string
  readonly type: string
  /** How a member is reached, such as `oauth.on(name, handler)`. */
  readonly use: string
  /** The members that belong here; all of them by default. */
  readonly members?: readonly string[]
}

/** One whose members are called for. */
interface Called extends Listed {
  /** In which order, when, and what is promised. */
  readonly how: string
  /** Members that may refuse what they are called for. */
  readonly refusing?: readonly string[]
}

const EMITTED = `Handlers are called in the order in which they came, in the process where it happened and in no other one, once it is
stored and before the request is answered. Nothing waits for what they begin. Each event comes once; what a process that
dies had not told is told by nobody.`
const AWAITED = `Each is waited for before the request is answered, in the process that answers it. It comes once, and not again after
a process died.`

/** Names with what their handlers are given, and functions that a host hands in. */
export const EVENTS: readonly Called[] = [
  {
    folder: 'oauth-core',
    type: 'OAuthEvents',
    use: 'oauth.on(name, handler)',
    how: EMITTED,
  },
  {
    folder: 'connectors',
    type: 'ConnectorEvents',
    use: 'connectors.on(name, handler)',
    how: EMITTED,
  },
  {
    folder: 'auth-ui',
    type: 'HostHooks',
    use: 'createAuthUi({ hooks })',
    how: `\`onLogin\` comes before anything of a login is written, and uses no code up when it refuses; \`onLoggedIn\` comes once the
session is stored. ${AWAITED}`,
    refusing: ['onLogin'],
  },
  {
    folder: 'auth-ui',
    type: 'HostProfile',
    use: 'createAuthUi({ profile })',
    members: ['onChange', 'onChanged'],
    how: `\`onChange\` comes before the write, \`onChanged\` after it. ${AWAITED}`,
    refusing: ['onChange'],
  },
]
/** Methods that take a listener. */
export const LISTENERS: readonly Listed[] = [
  { folder: 'platform', type: 'Platform', use: 'oauth', members: ['onRevoked'] },
  { folder: 'platform', type: 'RevocationListener', use: 'the listener of oauth.onRevoked' },
  { folder: 'platform', type: 'Instances', use: 'oauth.instances', members: ['onRemove'] },
  { folder: 'realtime', type: 'Realtime', use: 'realtime', members: ['onLocalEvent'] },
  { folder: 'mcp', type: 'Mcp', use: 'mcp', members: ['onCall'] },
  { folder: 'auth-ui', type: 'Hashing', use: 'ui.hashing', members: ['onRun'] },
  { folder: 'store', type: 'Bus', use: 'store.bus', members: ['subscribe', 'onGap'] },
  { folder: 'store', type: 'Store', use: 'store', members: ['onWritten'] },
]
/** Methods by which a host says what happened. */
export const ANNOUNCEMENTS: readonly Listed[] = [
  { folder: 'platform', type: 'Platform', use: 'oauth', members: ['revoked'] },
  {
    folder: 'oauth-core',
    type: 'ClientService',
    use: 'oauth.clients',
    members: ['onWebappUninstalled'],
  },
  { folder: 'notify', type: 'Notify', use: 'notify', members: ['sourceGone'] },
  { folder: 'connectors', type: 'Connectors', use: 'connectors', members: ['accountDeleted'] },
  { folder: 'realtime', type: 'Realtime', use: 'realtime', members: ['publish'] },
]
/** Written for one another or for tests: no host listens there. */
export const INTERNAL: ReadonlySet<string> = new Set([
  'auth-ui EventSink',
  'connectors EventSink',
  'notify EventSink',
  'platform Emitter',
])

/** What the packages and the example host send to the subscribers of an instance. */
export const SENT: readonly {
  readonly type: string
  readonly verbs: string
  readonly by: string
  readonly what: string
}[] = [
  {
    type: 'accounts',
    verbs: 'CREATED, UPDATED, DELETED',
    by: 'packages/connectors',
    what: 'An account at a provider was connected, changed or removed. `doc` is what any reader gets: no secret.',
  },
  {
    type: 'auth.confirmations',
    verbs: 'CREATED',
    by: 'packages/auth-ui',
    what: 'The owner confirmed. The id is the `state` of the request, `doc` is `{ _id }`; the code never travels here.',
  },
  {
    type: 'notifications',
    verbs: 'CREATED, UPDATED',
    by: 'packages/notify',
    what: 'A notification was accepted, changed its status or was marked. `doc` has no bodies.',
  },
  {
    type: 'oauth.clients',
    verbs: 'CREATED, UPDATED, DELETED',
    by: 'examples/host',
    what: 'A client registered, changed or went. Without a document; for the settings app alone.',
  },
]
