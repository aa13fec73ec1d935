import type { EventLog, PLATFORM_LOG_EVENTS } from '@svc/platform'

/** What this package writes into the log. */
export const REALTIME_LOG_EVENTS = {
  'realtime.not_published': {
    level: 'warn',
    when: 'An event reached only the subscribers of this process.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'realtime.not_subscribed': {
    level: 'warn',
    when: 'Events of other processes cannot be heard; it is tried again.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'realtime.message_malformed': {
    level: 'warn',
    when: 'A message between processes is no event and is dropped.',
    fields: { type: 'string', size: 'number' },
    since: '0.1.0',
  },
  'realtime.handler_failed': {
    level: 'error',
    when: 'A listener of the host threw.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'realtime.event_dropped': {
    level: 'error',
    when: 'An event could not be handed on.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'realtime.handshake_failed': {
    level: 'error',
    when: 'A websocket could not be opened.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'realtime.failure_not_counted': {
    level: 'warn',
    when: 'A failed authentication was not counted towards its limit.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'realtime.command_failed': {
    level: 'error',
    when: 'A command of a websocket failed.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
  'realtime.bad_frame': {
    level: 'info',
    when: 'A websocket sent what is no frame, and was closed.',
    fields: { cause: 'string' },
    since: '0.1.0',
  },
} as const

/** The log as this package writes to it, and as it hands it to `@svc/platform`. */
export type RealtimeLog = EventLog<typeof PLATFORM_LOG_EVENTS & typeof REALTIME_LOG_EVENTS>
