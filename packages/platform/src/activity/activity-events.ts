/** The groups that an owner sees of what happened in the space. */
export type ActivityGroup =
  | 'login'
  | 'security'
  | 'profile'
  | 'apps'
  | 'accounts'
  | 'notifications'
  | 'record'

/** Every event that the record of activity knows. @see owner.md 5.1 */
export type ActivityEventName =
  | 'login.succeeded'
  | 'login.failed'
  | 'login.throttled'
  | 'two_factor.failed'
  | 'logout'
  | 'session.ended'
  | 'others.ended'
  | 'magic_link.sent'
  | 'session_code.made'
  | 'flagship.login'
  | 'owner.confirmed'
  | 'passphrase.changed'
  | 'reset.requested'
  | 'reset.done'
  | 'hint.changed'
  | 'hint.sent'
  | 'factor.added'
  | 'factor.removed'
  | 'recovery_codes.made'
  | 'recovery_code.used'
  | 'passkey.added'
  | 'passkey.removed'
  | 'passkey.suspended'
  | 'passkey.trusted'
  | 'passkey.asked'
  | 'passkey.unasked'
  | 'device.trusted'
  | 'device.forgotten'
  | 'magic_link.on'
  | 'magic_link.off'
  | 'owner.onboarded'
  | 'name.changed'
  | 'language.changed'
  | 'email.requested'
  | 'email.changed'
  | 'email.undone'
  | 'phone.changed'
  | 'instance.changed'
  | 'instance.moved'
  | 'consent.given'
  | 'consent.refused'
  | 'client.changed'
  | 'client.certified'
  | 'client.removed'
  | 'grant.ended'
  | 'rights.reduced'
  | 'access.extended'
  | 'app.installed'
  | 'app.removed'
  | 'client.used'
  | 'assistant.allowed'
  | 'assistant.ended'
  | 'assistant.undone'
  | 'konnector.token'
  | 'share.made'
  | 'share.ended'
  | 'account.connected'
  | 'account.reconnected'
  | 'account.failing'
  | 'account.removed'
  | 'account.used'
  | 'preferences.changed'
  | 'unsubscribed'
  | 'source.blocked'
  | 'record.started'
  | 'record.pruned'
  | 'record.exported'
  | 'record.gap'
  | 'store.restored'

const EVENTS_OF: Readonly<Record<ActivityGroup, readonly ActivityEventName[]>> = {
  login: [
    'login.succeeded',
    'login.failed',
    'login.throttled',
    'two_factor.failed',
    'logout',
    'session.ended',
    'others.ended',
    'magic_link.sent',
    'session_code.made',
    'flagship.login',
    'owner.confirmed',
  ],
  security: [
    'passphrase.changed',
    'reset.requested',
    'reset.done',
    'hint.changed',
    'hint.sent',
    'factor.added',
    'factor.removed',
    'recovery_codes.made',
    'recovery_code.used',
    'passkey.added',
    'passkey.removed',
    'passkey.suspended',
    'passkey.trusted',
    'passkey.asked',
    'passkey.unasked',
    'device.trusted',
    'device.forgotten',
    'magic_link.on',
    'magic_link.off',
  ],
  profile: [
    'owner.onboarded',
    'name.changed',
    'language.changed',
    'email.requested',
    'email.changed',
    'email.undone',
    'phone.changed',
    'instance.changed',
    'instance.moved',
  ],
  apps: [
    'consent.given',
    'consent.refused',
    'client.changed',
    'client.certified',
    'client.removed',
    'grant.ended',
    'rights.reduced',
    'access.extended',
    'app.installed',
    'app.removed',
    'client.used',
    'assistant.allowed',
    'assistant.ended',
    'assistant.undone',
    'konnector.token',
    'share.made',
    'share.ended',
  ],
  accounts: [
    'account.connected',
    'account.reconnected',
    'account.failing',
    'account.removed',
    'account.used',
  ],
  notifications: ['preferences.changed', 'unsubscribed', 'source.blocked'],
  record: ['record.started', 'record.pruned', 'record.exported', 'record.gap', 'store.restored'],
}

/**
 * The groups in the order in which they are shown.
 * @example
 * const [first] = ACTIVITY_GROUPS // login
 */
export const ACTIVITY_GROUPS: readonly ActivityGroup[] = [
  'login',
  'security',
  'profile',
  'apps',
  'accounts',
  'notifications',
  'record',
]

/** The group of each event. */
export const ACTIVITY_EVENTS: ReadonlyMap<ActivityEventName, ActivityGroup> = new Map(
  ACTIVITY_GROUPS.flatMap((group) => EVENTS_OF[group].map((event) => [event, group] as const)),
)

/**
 * What a row that changes something notes for the owner, or why it notes nothing. A row with several outcomes names
 * the event of each.
 */
export type RouteActivity =
  | ActivityEventName
  | readonly [ActivityEventName, ...ActivityEventName[]]
  | { readonly none: string }
