import type { EventLog, PLATFORM_LOG_EVENTS } from '@svc/platform'

/** What this package writes into the log. */
export const OAUTH_LOG_EVENTS = {
  'client.registered': {
    level: 'info',
    audit: true,
    when: 'A client registered itself.',
    fields: {
      domain: 'string',
      clientId: 'string',
      softwareId: 'string?',
      public: 'boolean?',
      address: 'string',
    },
    since: '0.1.0',
  },
  'client.updated': {
    level: 'info',
    audit: true,
    when: 'A client changed its registration.',
    fields: { domain: 'string', clientId: 'string', renewSecret: 'boolean' },
    since: '0.1.0',
  },
  'client.deleted': {
    level: 'info',
    audit: true,
    when: 'A client is gone, with all its grants.',
    fields: { domain: 'string', clientId: 'string', reason: 'string' },
    since: '0.1.0',
  },
  'client.certified': {
    level: 'info',
    audit: true,
    when: 'A client is certified as the flagship app.',
    fields: { domain: 'string', clientId: 'string', how: 'string' },
    since: '0.1.0',
  },
  'client.attestation_refused': {
    level: 'info',
    audit: true,
    when: 'A client sent an attestation that proves nothing.',
    fields: { domain: 'string', clientId: 'string', reason: 'string' },
    since: '0.1.0',
  },
  'client.device.cleared': {
    level: 'info',
    when: 'The push token of a client is dead and was removed.',
    fields: { domain: 'string', clientId: 'string', platform: 'string' },
    since: '0.1.0',
  },
  'client.check_lost': {
    level: 'warn',
    when: 'A client without a secret whose last access ended early stays for as long as that was meant to last.',
    fields: { domain: 'string', clientId: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'client.stamp_lost': {
    level: 'warn',
    when: 'The time of the last use of clients was not stored; it is stored with the next use.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'consent.given': {
    level: 'info',
    audit: true,
    when: 'The owner allowed a client.',
    fields: {
      domain: 'string',
      clientId: 'string',
      scope: 'string',
      address: 'string',
      endsAt: 'number?',
      resource: 'string?',
    },
    since: '0.1.0',
  },
  'refresh.reuse': {
    level: 'warn',
    audit: true,
    when: 'A refresh token came that was replaced too long ago; its grant ended.',
    fields: { domain: 'string', clientId: 'string' },
    since: '0.1.0',
  },
  'sharing.accepted': {
    level: 'info',
    audit: true,
    when: 'The owner accepted a sharing.',
    fields: { domain: 'string', sharingId: 'string', clientId: 'string?' },
    since: '0.1.0',
  },
  'move.granted': {
    level: 'info',
    audit: true,
    when: 'The owner allowed that the instance is moved.',
    fields: { domain: 'string', clientId: 'string', address: 'string' },
    since: '0.1.0',
  },
  'app.installed': {
    level: 'info',
    when: 'An app that a client came with was installed.',
    fields: { domain: 'string', slug: 'string' },
    since: '0.1.0',
  },
  'app.install_failed': {
    level: 'error',
    when: 'An app that a client came with could not be installed.',
    fields: { domain: 'string', slug: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'app.permissions_malformed': {
    level: 'error',
    when: 'The host gave permissions of an app that cannot be read.',
    fields: { slug: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'guard.sessions_missing': {
    level: 'error',
    when: 'A cookie came and the host never called `oauth.useSessions()`.',
    fields: { hint: 'string' },
    since: '0.1.0',
  },
  'throttle.not_subscribed': {
    level: 'warn',
    when: 'Wrong secrets that other processes met cannot be heard; each process counts its own.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'throttle.not_published': {
    level: 'warn',
    when: 'Other processes were not told of wrong secrets.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
} as const

/** The log as this package writes to it, and as it hands it to `@svc/platform`. */
export type OAuthLog = EventLog<typeof PLATFORM_LOG_EVENTS & typeof OAUTH_LOG_EVENTS>
