import type { EventLog, PLATFORM_LOG_EVENTS } from '@svc/platform'
import type { StoreLog } from '@svc/store'
import { randomBytes } from 'node:crypto'
import { type DestinationStream, pino } from 'pino'
import type { Config } from '../config/config.ts'
import type { HOST_LOG_EVENTS } from './log-events.ts'

type Fields = Readonly<Record<string, unknown>>

/** As the host writes to it: its own events and those of the ground floor. */
export type HostEventLog = EventLog<typeof PLATFORM_LOG_EVENTS & typeof HOST_LOG_EVENTS>

/** The host's log. It takes the lines of the packages too, each of which has its own table. */
export interface HostLog extends HostEventLog {
  /** One line for each answered request, where the level is `debug`. */
  debug(event: 'http.request', fields: Fields): void
  readonly store: StoreLog
  /** Writes what is still buffered. */
  flush(): void
}

/** Members that never reach a log line, at the top or one level down. */
const SECRETS = [
  'access_token',
  'authorization',
  'client_secret',
  'cookie',
  'email',
  'link',
  'passcode',
  'passphrase',
  'password',
  'refresh_token',
  'registration_access_token',
  'secret',
  'token',
]
/** `code` names an error in most places; of a request it is a secret. */
const REDACTED = [
  ...SECRETS.flatMap((name) => [name, `*.${name}`]),
  'body.code',
  'params.code',
  'query.code',
]

export interface LogOptions {
  /** @defaultValue standard error */
  readonly destination?: DestinationStream
  /** Which of several processes wrote a line. @defaultValue eight random hexadecimal digits */
  readonly process?: string
}

/**
 * One JSON object a line: `time` (UTC), `level`, `process`, `event`, and the event's fields.
 * @see security.md 113, operation.md 7.7
 */
export function createLog(level: Config['logLevel'], options: LogOptions = {}): HostLog {
  const {
    destination = pino.destination({ dest: 2, sync: true }),
    process = randomBytes(4).toString('hex'),
  } = options
  const logger = pino(
    {
      level,
      base: { process },
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, censor: '[redacted]' },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  )
  return {
    debug: (event: string, fields?: Fields) => logger.debug({ ...fields, event }),
    info: (event: string, fields?: Fields) => logger.info({ ...fields, event }),
    warn: (event: string, fields?: Fields) => logger.warn({ ...fields, event }),
    error: (event: string, fields?: Fields) => logger.error({ ...fields, event }),
    store: {
      warn: (fields, message) => logger.warn(fields, message),
      error: (fields, message) => logger.error(fields, message),
    },
    flush: () => logger.flush(),
  }
}
