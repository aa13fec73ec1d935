import { AUTH_UI_LOG_EVENTS } from '@svc/auth-ui'
import { CONNECTORS_LOG_EVENTS } from '@svc/connectors'
import { MCP_LOG_EVENTS } from '@svc/mcp'
import { NOTIFY_LOG_EVENTS } from '@svc/notify'
import { OAUTH_LOG_EVENTS } from '@svc/oauth-core'
import { PLATFORM_LOG_EVENTS } from '@svc/platform'
import { ACTIVITY_LOG_EVENTS } from '@svc/activity'
import { REALTIME_LOG_EVENTS } from '@svc/realtime'
import { type LogEvents, STORE_LOG_EVENTS } from '@svc/store'
import { SPACE_LOG_EVENTS } from './space-log-events.ts'

const OWN_EVENTS = {
  'server.started': {
    level: 'info',
    when: 'The server listens.',
    fields: { port: 'number', adminPort: 'number' },
    since: '0.1.0',
  },
  'server.stopping': {
    level: 'info',
    when: 'A signal came; requests under way are finished.',
    fields: { signal: 'string' },
    since: '0.1.0',
  },
  'server.stopped': { level: 'info', when: 'The server stopped well.', since: '0.1.0' },
  'server.stop_failed': {
    level: 'error',
    when: 'The stop failed or took too long; the process ends hard.',
    fields: { open: 'list?', cause: 'string?' },
    since: '0.1.0',
  },
  'server.reloaded': {
    level: 'info',
    when: 'SIGHUP was obeyed.',
    since: '0.1.0',
  },
  'server.reload_failed': {
    level: 'error',
    when: 'SIGHUP could not be obeyed; what stood before stays.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'log.lines_dropped': {
    level: 'warn',
    when: 'The reader of the log took nothing until what waited was more than is kept; so many lines are missing here.',
    fields: { count: 'number' },
    since: '0.1.0',
  },
  'instance.exported': {
    level: 'info',
    audit: true,
    when: 'An export of an instance was completed; with `move` it is frozen for good.',
    fields: { domain: 'string', move: 'boolean' },
    since: '0.1.0',
  },
  'instance.imported': {
    level: 'info',
    audit: true,
    when: 'An instance was imported and answers from now on.',
    fields: { domain: 'string', records: 'number' },
    since: '0.1.0',
  },
  'instance.unfrozen': {
    level: 'info',
    audit: true,
    when: 'A frozen instance was taken into service again.',
    fields: { domain: 'string' },
    since: '0.1.0',
  },
  'process.not_recorded': {
    level: 'warn',
    when: 'The record of this process was not written; it is written again within 20 seconds.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'process.unhandled_rejection': {
    level: 'error',
    when: 'A promise failed and nobody waited for it, which is a fault of this software.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'process.uncaught_exception': {
    level: 'error',
    when: 'An error reached nobody; the process ends.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'http.request': {
    level: 'debug',
    when: 'A request was answered.',
    fields: { ms: 'number', method: 'string', route: 'string', status: 'number' },
    since: '0.1.0',
  },
  'limit.hit': {
    level: 'info',
    audit: true,
    when: 'A request was refused by a limit of its route.',
    fields: { method: 'string', route: 'string' },
    since: '0.1.0',
  },
  'request.broken': {
    level: 'error',
    when: 'An answer broke while it was sent.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'admin.broken': {
    level: 'error',
    when: 'An answer of the admin listener broke while it was sent.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'admin.crashed': {
    level: 'error',
    when: 'A request of the admin listener ended in an error that nobody foresaw.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'admin.called': {
    level: 'info',
    audit: true,
    when: 'A named admin token changed something, or asked for what it may not.',
    fields: { token: 'string', route: 'string', status: 'number' },
    since: '0.1.0',
  },
  'admin_token.created': {
    level: 'info',
    audit: true,
    when: 'The operator made a named admin token.',
    fields: { token: 'string', scopes: 'list', until: 'string' },
    since: '0.1.0',
  },
  'admin_token.revoked': {
    level: 'info',
    audit: true,
    when: 'The operator ended a named admin token.',
    fields: { token: 'string' },
    since: '0.1.0',
  },
  'tls.reloaded': {
    level: 'info',
    when: 'The certificate was read again.',
    since: '0.1.0',
  },
  'tls.reload_failed': {
    level: 'error',
    when: 'A new certificate cannot be used; the one before stays.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'check.warning': {
    level: 'warn',
    when: 'A check of the start found something that should be changed; `svc doctor` says it again.',
    fields: { check: 'string', text: 'string', remedy: 'string?' },
    since: '0.1.0',
  },
  'internal.broken': {
    level: 'error',
    when: 'An answer of the internal listener broke while it was sent.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'dev_pages.off': {
    level: 'warn',
    when: 'The development pages are off for good, since an instance with another domain came.',
    fields: { host: 'string' },
    since: '0.1.0',
  },
  'flagship.certification_skipped': {
    level: 'warn',
    when: 'Every client counts as certified, which is for development only.',
    since: '0.1.0',
  },
  'clients.limit.exceeded': {
    level: 'warn',
    audit: true,
    when: 'An owner has more clients connected than the operator allows.',
    fields: { domain: 'string', limit: 'number' },
    since: '0.1.0',
  },
  'token.issued': {
    level: 'info',
    audit: true,
    when: 'A client got tokens.',
    fields: { domain: 'string', clientId: 'string', grant: 'string', scope: 'string' },
    since: '0.1.0',
  },
  'grant.revoked': {
    level: 'info',
    audit: true,
    when: 'A grant ended, with its tokens.',
    fields: { domain: 'string', clientId: 'string', reason: 'string' },
    since: '0.1.0',
  },
  'account.needs_owner': {
    level: 'warn',
    when: 'An account works no longer, and its owner is told.',
    fields: { domain: 'string', accountId: 'string', accountType: 'string', code: 'string?' },
    since: '0.1.0',
  },
  'store.restored': {
    level: 'warn',
    audit: true,
    when: 'The store was put back from a backup, and what is over since then has ended.',
    fields: { backupAt: 'string', grantsRevoked: 'boolean' },
    since: '0.1.0',
  },
  'restore.mail_failed': {
    level: 'warn',
    when: 'An owner could not be told that the space was put back; it is tried again in 10 minutes.',
    fields: { domain: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'restore.not_told': {
    level: 'error',
    when: 'Owners are told no more that their spaces were put back, until the next start.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'assistants.ended': {
    level: 'info',
    audit: true,
    when: 'Assistants are switched off: what they were allowed before has ended.',
    fields: { count: 'number' },
    since: '0.1.0',
  },
  'assistants.not_ended': {
    level: 'warn',
    when: 'What assistants were allowed could not be ended; it is not taken, and ends at the next start.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'notification.not_posted': {
    level: 'error',
    when: 'A notification of the host itself was not accepted.',
    fields: { domain: 'string', category: 'string', cause: 'string' },
    since: '0.1.0',
  },
} as const

/** What the host itself writes into the log. */
export const HOST_LOG_EVENTS: typeof OWN_EVENTS & typeof SPACE_LOG_EVENTS = {
  ...OWN_EVENTS,
  ...SPACE_LOG_EVENTS,
}

/** The tables of this process, by who writes: what `docs/logs.md` lists. */
export const LOG_TABLES: Readonly<Record<string, LogEvents>> = {
  '@svc/platform': PLATFORM_LOG_EVENTS,
  '@svc/store': STORE_LOG_EVENTS,
  '@svc/oauth-core': OAUTH_LOG_EVENTS,
  '@svc/auth-ui': AUTH_UI_LOG_EVENTS,
  '@svc/notify': NOTIFY_LOG_EVENTS,
  '@svc/realtime': REALTIME_LOG_EVENTS,
  '@svc/mcp': MCP_LOG_EVENTS,
  '@svc/activity': ACTIVITY_LOG_EVENTS,
  '@svc/connectors': CONNECTORS_LOG_EVENTS,
  'the example host': HOST_LOG_EVENTS,
}

/** All of them. */
export const LOG_EVENTS: LogEvents = Object.assign({}, ...Object.values(LOG_TABLES)) as LogEvents
