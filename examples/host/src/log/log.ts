import type { EventLog, PLATFORM_LOG_EVENTS } from '@svc/platform'
import type { StoreLog } from '@svc/store'
import { randomBytes } from 'node:crypto'
import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import type { Config } from '../config/config.ts'
import { createLineWriter } from './line-writer.ts'
import type { HOST_LOG_EVENTS } from './log-events.ts'
import { withoutSecrets } from './without-secrets.ts'

type Fields = Readonly<Record<string, unknown>>

/** As the host writes to it: its own events and those of the ground floor. */
export type HostEventLog = EventLog<typeof PLATFORM_LOG_EVENTS & typeof HOST_LOG_EVENTS>

/** The host's log. It takes the lines of the packages too, each of which has its own table. */
export interface HostLog extends HostEventLog {
  /** One line for each answered request. Absent where the level is another one: nobody puts its fields together. */
  readonly debug?: (event: 'http.request', fields: Fields) => void
  readonly store: StoreLog
  /** Answers when what was logged is written, or when the reader of the log takes nothing. */
  flush(): Promise<void>
  /** Writes what waits before it returns: for a process that ends hard. */
  flushNow(): void
}

export interface LogOptions {
  /** @defaultValue standard error, which is written behind the requests */
  readonly destination?: DestinationStream
  /** Which of several processes wrote a line. @defaultValue eight random hexadecimal digits */
  readonly process?: string
}

/**
 * One JSON object a line: `time` (UTC), `level`, `process`, `event`, and the event's fields.
 * @see security.md 113, operation.md 7.7
 */
export function createLog(level: Config['logLevel'], options: LogOptions = {}): HostLog {
  const { process: name = randomBytes(4).toString('hex') } = options
  const settings: LoggerOptions = {
    level,
    base: { process: name },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  // Asking for the stream makes pipes and sockets of the log non-blocking: one that is full is an error then, no wait.
  const writer = createLineWriter(process.stderr.fd, (count) => lineOf(settings, count))
  const logger = pino(settings, options.destination ?? writer)
  return {
    ...(level === 'debug' && {
      debug: (event: string, fields: Fields) => logger.debug({ ...withoutSecrets(fields), event }),
    }),
    info: (event: string, fields?: Fields) => logger.info({ ...withoutSecrets(fields), event }),
    warn: (event: string, fields?: Fields) => logger.warn({ ...withoutSecrets(fields), event }),
    error: (event: string, fields?: Fields) => logger.error({ ...withoutSecrets(fields), event }),
    store: {
      warn: (fields, message) => logger.warn(withoutSecrets(fields), message),
      error: (fields, message) => logger.error(withoutSecrets(fields), message),
    },
    flush: () => writer.flush(),
    flushNow: () => writer.flushNow(),
  }
}

/** The line that says how many were dropped. */
function lineOf(settings: LoggerOptions, count: number): string {
  let line = ''
  const logger = pino(settings, { write: (text) => (line = text) })
  logger.warn({ event: 'log.lines_dropped' satisfies keyof typeof HOST_LOG_EVENTS, count })
  return line
}
