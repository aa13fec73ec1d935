import { type RecordKind, valueSchemas } from '@svc/platform'

const { any, boolean, count, digest, instant, list, map, members, object, oneOf, text } =
  valueSchemas

const CHANNEL = text
const STATUS = oneOf(
  'scheduled',
  'queued',
  'sending',
  'sent',
  'skipped',
  'collapsed',
  'expired',
  'failed',
  'cancelled',
)

const FLAGS = members(
  { collapsible: boolean, stateful: boolean, multiple: boolean, sensitive: boolean },
  { ttlMs: count, minIntervalMs: count, templates: map(text) },
)
const PROGRESS = members(
  { tries: count, isDone: boolean },
  { last: oneOf('permanent', 'transient', 'config'), code: text, memo: any },
)
const ATTEMPT = members(
  { channel: CHANNEL, at: instant, class: oneOf('sent', 'permanent', 'transient', 'config') },
  { code: text, warnings: list(text) },
)

/** Stored records of notifications. */
export const NOTIFY_RECORDS: readonly RecordKind[] = [
  {
    kind: 'notification',
    version: 1,
    schema: members(
      {
        title: text,
        preferredChannels: list(CHANNEL),
        id: text,
        sourceId: text,
        originator: oneOf('app', 'oauth', 'konnector', 'stack', 'cli'),
        owner: text,
        postedBy: text,
        category: text,
        flags: FLAGS,
        version: count,
        createdAt: instant,
        scheduledAt: instant,
        lastSentAt: instant,
        status: STATUS,
        dueAt: instant,
        round: count,
        progress: map(PROGRESS),
        attempts: list(ATTEMPT),
        crashes: count,
      },
      {
        categoryId: text,
        message: text,
        priority: oneOf('high', 'normal'),
        state: text,
        givenChannels: list(CHANNEL),
        data: object,
        at: text,
        sound: text,
        slug: text,
        clientId: text,
        linkedClientId: text,
        reason: text,
        channel: CHANNEL,
        sentAt: instant,
        finishedAt: instant,
        lease: members({ token: text, until: instant }),
        hasFollowUp: { const: true },
        isHeld: { const: true },
        digestId: text,
        isErased: { const: true },
        keptUntil: instant,
        readAt: instant,
        archivedAt: instant,
      },
    ),
    tags: 'instance',
    places: { by: 'index', index: 'notifications' },
    life: '`data` 7 days after its end; the rest 90 days, the newest of a stateful or collapsible source 366; removed with its source',
    export: 'yes',
    content:
      'id (UUID 7): what was posted but for its bodies, the flags of its category, the linked client that posted it, status, due time, channels and their attempts (no token, number or address), who holds it until when (one worker at a time, by compare-and-set), when the owner read or archived it',
  },
  {
    kind: 'notification-body',
    version: 1,
    schema: members({}, { content: text, contentHtml: text }),
    tags: 'instance',
    places: { by: 'ids-of', parent: 'notification', ids: ({ id }) => [id] },
    life: '7 days after the end of its notification; removed with its source',
    export: 'yes',
    content: 'id of the notification: `content` and `content_html`',
  },
  {
    kind: 'notification-turn',
    version: 1,
    schema: members({ unfinished: count, lastAt: instant }),
    tags: 'instance',
    places: { by: 'index', index: 'notification-turns' },
    life: '30 days longer than a notification can wait for its time, after the last post',
    export: 'yes',
    content:
      'originator and source owner: how many notifications of it are unfinished at most, when the newest was made; every accepted post changes it, so that posts of an owner happen one after the other',
  },
  {
    kind: 'notification-answer',
    version: 1,
    schema: members(
      {
        hash: digest,
        id: text,
        snapshot: members(
          { version: count, status: STATUS, lastSentAt: instant },
          { reason: text, channel: CHANNEL, sentAt: instant },
        ),
      },
      { skipped: oneOf('same_state') },
    ),
    tags: 'instance',
    places: { by: 'index', index: 'notification-answers' },
    life: '24 h',
    export: 'yes',
    content:
      'SHA-256 of token subject and idempotency key: SHA-256 of the attributes, id of the notification, what of the first answer changes later',
  },
  {
    kind: 'notification-preferences',
    version: 1,
    schema: members(
      {
        sources: map(
          members(
            {},
            {
              isBlocked: { const: true },
              mutedUntil: instant,
              categories: map(
                members({}, { off: list(CHANNEL), mutedUntil: instant, digest: text }),
              ),
            },
          ),
        ),
      },
      { quietHours: object },
    ),
    tags: 'instance',
    places: { by: 'ids', ids: ['preferences'] },
    life: 'with the instance; written by compare-and-set',
    export: 'yes',
    content:
      'what the owner chose otherwise than at the start: quiet hours; by source blocked, muted until when; by category channels that are off, muted until when, how often they go as a digest',
  },
  {
    kind: 'notification-digest',
    version: 1,
    schema: members({ by: text }),
    tags: 'instance',
    places: { by: 'nobody' },
    life: '60 s; until the process that made it has the digest out',
    export: { no: 'It is a lock.' },
    content: 'id of the digest (its due time): which process writes it',
  },
]
