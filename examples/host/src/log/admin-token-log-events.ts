import type { LogEvents } from '@svc/store'

/** What is written of named admin tokens. */
export const ADMIN_TOKEN_LOG_EVENTS = {
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
} as const satisfies LogEvents
