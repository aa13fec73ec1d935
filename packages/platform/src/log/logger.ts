import type { LogEventOf, LogEvents, LogFields } from '@svc/store'

/** One line per event, with stable names such as `client.registered`. Never given a secret or a token. */
export interface Logger {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void
  error(event: string, fields?: Readonly<Record<string, unknown>>): void
}

type Line<Events extends LogEvents, Level> = {
  [Name in LogEventOf<Events, Level>]: [event: Name, ...LogFields<Events[Name]>]
}[LogEventOf<Events, Level>]

/**
 * A log as a package writes to it: the events of its table at their levels, with their fields, and nothing else. Any
 * `Logger` is one.
 * @example
 * const COURIER_LOG_EVENTS = {
 *   'parcel.sent': { level: 'info', when: 'A parcel left.', fields: { domain: 'string' }, since: '0.1.0' },
 * } as const
 * function send(log: EventLog<typeof COURIER_LOG_EVENTS>, domain: string): void {
 *   log.info('parcel.sent', { domain })
 * }
 */
export interface EventLog<Events extends LogEvents> {
  info(...line: Line<Events, 'info'>): void
  warn(...line: Line<Events, 'warn'>): void
  error(...line: Line<Events, 'error'>): void
}
