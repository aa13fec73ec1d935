/** What the stores write into the log. */
export const STORE_LOG_EVENTS = {
  'store.appendonly_off': {
    level: 'warn',
    when: 'Redis runs without its append-only file: acknowledged writes are lost when it stops. Set `appendonly yes`.',
    since: '0.1.0',
  },
  'store.eviction_on': {
    level: 'warn',
    when: 'Redis may drop records when memory is short. Set `maxmemory-policy noeviction`.',
    fields: { policy: 'string' },
    since: '0.1.0',
  },
  'store.redis_down': {
    level: 'error',
    when: 'Redis cannot be reached; requests answer 503 until `store.redis_back`.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'store.redis_back': {
    level: 'warn',
    when: 'Redis can be reached again.',
    since: '0.1.0',
  },
  'store.wake_up_failed': {
    level: 'error',
    when: 'What was due failed; it is tried again, ever later.',
    fields: { queue: 'string', attempts: 'number', cause: 'string' },
    since: '0.1.0',
  },
  'store.scheduler_failed': {
    level: 'error',
    when: 'Due work cannot be read or settled; it is tried again.',
    fields: { queue: 'string?', cause: 'string' },
    since: '0.1.0',
  },
  'store.bus_message_malformed': {
    level: 'warn',
    when: 'A message between processes is no JSON and is dropped.',
    fields: { channel: 'string', size: 'number' },
    since: '0.1.0',
  },
  'store.bus_message_unknown': {
    level: 'warn',
    when: 'A message between processes is of a form that this version does not know; it is dropped and counts as a gap.',
    fields: { channel: 'string' },
    since: '0.1.0',
  },
  'store.bus_handler_failed': {
    level: 'error',
    when: 'A handler of messages between processes threw.',
    fields: { channel: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'store.sweep_failed': {
    level: 'error',
    when: 'Expired records cannot be removed; they are not served, and it is tried again.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'store.wal_held': {
    level: 'warn',
    when: 'A reader, such as a copy, has kept the write-ahead file of the embedded store from beginning anew for over a minute; it grows until the reader ends.',
    fields: { bytes: 'number', heldMs: 'number' },
    since: '0.1.0',
  },
  'store.wal_check_failed': {
    level: 'error',
    when: 'The size of the write-ahead file cannot be checked; it is tried again.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
} as const
