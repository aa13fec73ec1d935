/** What the host writes about the store's version and the room that it has. */
export const SPACE_LOG_EVENTS = {
  'store.raised': {
    level: 'info',
    when: 'The embedded store was raised to a new version at the start; `copy` is the file from before.',
    fields: { from: 'number', to: 'number', copy: 'string' },
    since: '0.1.0',
  },
  'store.full': {
    level: 'error',
    when: 'The file system of the embedded store is full; its reserve was given away, and nothing new is stored.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'store.quota_exceeded': {
    level: 'error',
    when: 'A quota of the file system lets nothing more be stored.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'store.read_only': {
    level: 'error',
    when: 'The file system of the embedded store is read-only.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'store.io_error': {
    level: 'error',
    when: 'The disk failed at a sync of the embedded store; the process ends with 75.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'store.write_failed': {
    level: 'error',
    when: 'A write of the embedded store failed and nobody can say why.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'store.reserve_stuck': {
    level: 'error',
    when: 'The reserve could not be given away.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'store.no_reserve': {
    level: 'warn',
    when: 'The reserve could not be made; it is tried again within 10 seconds.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'store.writable': {
    level: 'info',
    when: 'The embedded store can be written again, and its reserve is there.',
    fields: {},
    since: '0.1.0',
  },
  'store.low_space': {
    level: 'warn',
    when: 'The file system of the embedded store has little room; what grows is refused.',
    fields: { freeBytes: 'number', freeInodes: 'number' },
    since: '0.1.0',
  },
  'store.space_back': {
    level: 'info',
    when: 'The file system of the embedded store has room again.',
    fields: { freeBytes: 'number', freeInodes: 'number' },
    since: '0.1.0',
  },
  'store.space_unknown': {
    level: 'warn',
    when: 'The file system of the embedded store could not be asked for its room.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
} as const
