import type { EventLog } from './logger.ts'

/** What every package writes into the log by way of this one. */
export const PLATFORM_LOG_EVENTS = {
  'page.failed': {
    level: 'error',
    when: 'The page that shows an error failed itself; the bare code was answered.',
    fields: { code: 'string', cause: 'string?' },
    since: '0.1.0',
  },
  'keys.open_failed': {
    level: 'error',
    when: 'A sealed value cannot be opened: the key that it names is not in the keyring. Put it back.',
    fields: { route: 'string?', kid: 'any?', key: 'string?', cause: 'string?' },
    since: '0.1.0',
  },
  'keys.rotated': {
    level: 'info',
    when: 'A new key of an instance signs: by command, or since the old one was too old.',
    fields: { domain: 'string', kind: 'string' },
    since: '0.1.0',
  },
  'keys.rotation_failed': {
    level: 'warn',
    when: 'The key of an instance is too old and could not be replaced; it signs until it can.',
    fields: { domain: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'work.started': {
    level: 'info',
    when: 'Work over the whole store, such as a reseal, begins in this process, or goes on.',
    fields: { work: 'string' },
    since: '0.1.0',
  },
  'work.done': {
    level: 'info',
    when: 'Work over the whole store is done.',
    fields: { work: 'string' },
    since: '0.1.0',
  },
  'work.stopped': {
    level: 'error',
    when: 'Work over the whole store ended early. Its command goes on where it was.',
    fields: { work: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'work.resume_failed': {
    level: 'error',
    when: 'Work that another process left could not be gone on with. Its command goes on where it was.',
    fields: { work: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'request.failed': {
    level: 'error',
    when: 'A request was answered with a declared failure of the server.',
    fields: {
      route: 'string?',
      status: 'number',
      code: 'string',
      detail: 'string?',
      cause: 'string?',
    },
    since: '0.1.0',
  },
  'request.refused': {
    level: 'info',
    when: 'A request was refused for a reason that its answer does not tell.',
    fields: { route: 'string?', status: 'number', code: 'string', detail: 'string?' },
    since: '0.1.0',
  },
  'request.crashed': {
    level: 'error',
    when: 'A request ended in an error that nobody foresaw; it was answered with 500.',
    fields: { request_id: 'string', cause: 'string?' },
    since: '0.1.0',
  },
  'mount.body_consumed': {
    level: 'error',
    when: 'Something in front read the body of a request, which was answered with 500. Mount the handler in front of body parsers, or have them keep `rawBody`. Once a process.',
    fields: { hint: 'string' },
    since: '0.1.0',
  },
  'mount.prefixed': {
    level: 'error',
    when: 'The handler is mounted below a prefix, or behind something that rewrites addresses; requests are answered with 500. Its paths are fixed. Once a process.',
    fields: { hint: 'string', prefix: 'string' },
    since: '0.1.0',
  },
  'mount.http_version': {
    level: 'warn',
    when: 'A request of HTTP/2 reached the handler and was answered with 505: HTTP/2 is for the proxy in front. Once a process.',
    fields: { hint: 'string' },
    since: '0.1.0',
  },
  'mount.headers_removed': {
    level: 'warn',
    when: 'Something in front had set headers that contradict those of the interface; they were removed from its answers. Once a process.',
    fields: { hint: 'string', names: 'string' },
    since: '0.1.0',
  },
  'mount.unknown_host': {
    level: 'info',
    when: 'A request named a host that no instance has. Once a process.',
    fields: { hint: 'string', host: 'string' },
    since: '0.1.0',
  },
  'outbound.refused': {
    level: 'warn',
    when: 'A call to another server broke a rule, such as an address inside the own network, and was not made.',
    fields: { rule: 'string', host: 'string?' },
    since: '0.1.0',
  },
  'connection.refused': {
    level: 'warn',
    when: 'Connections were closed early; at most one line a minute and reason.',
    fields: { reason: 'string', count: 'number' },
    since: '0.1.0',
  },
  'event.handler_failed': {
    level: 'error',
    when: 'A handler of the host threw.',
    fields: { name: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'revocation.not_subscribed': {
    level: 'warn',
    when: 'News of revocations cannot be heard; every check reads the store until it can.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'revocation.not_published': {
    level: 'warn',
    when: 'A revocation is stored, and other processes were not told; they see it when they next read the store.',
    fields: { kind: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'record.malformed': {
    level: 'error',
    when: 'A stored record is of no version that its kind knows; the request that read it failed.',
    fields: { kind: 'string', key: 'string', cause: 'string' },
    since: '0.1.0',
  },
  'instance.removed': {
    level: 'info',
    audit: true,
    when: 'An instance was removed with all that it held.',
    fields: { domain: 'string' },
    since: '0.1.0',
  },
} as const

/**
 * The log of this package: it takes the events of `PLATFORM_LOG_EVENTS` with their fields.
 * @see docs/logs.md of the repository
 */
export type PlatformLog = EventLog<typeof PLATFORM_LOG_EVENTS>
