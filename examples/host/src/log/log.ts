import type { Logger } from '@svc/platform'
import type { StoreLog } from '@svc/store'
import { type DestinationStream, pino } from 'pino'
import type { Config } from '../config/config.ts'

/** The host's log, in the two shapes that the packages ask for. */
export interface HostLog extends Logger {
  debug(event: string, fields?: Readonly<Record<string, unknown>>): void
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

/** One JSON object a line: `time` (UTC), `level`, `event`, and the event's fields. @see security.md 113 */
export function createLog(
  level: Config['logLevel'],
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): HostLog {
  const logger = pino(
    {
      level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, censor: '[redacted]' },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  )
  return {
    debug: (event, fields) => logger.debug({ ...fields, event }),
    info: (event, fields) => logger.info({ ...fields, event }),
    warn: (event, fields) => logger.warn({ ...fields, event }),
    error: (event, fields) => logger.error({ ...fields, event }),
    store: {
      warn: (fields, message) => logger.warn(fields, message),
      error: (fields, message) => logger.error(fields, message),
    },
    flush: () => logger.flush(),
  }
}
