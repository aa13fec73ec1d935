import type { Logger } from '@svc/platform'

/** A line of the log. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: string
  readonly fields?: Readonly<Record<string, unknown>>
}

/** A logger that keeps what it is told. */
export interface RecordedLog extends Logger {
  readonly lines: readonly LogLine[]
  /** Fields of the lines of an event. */
  of(event: string): readonly (LogLine['fields'] | undefined)[]
}

export function recordedLog(): RecordedLog {
  const lines: LogLine[] = []
  const keep =
    (level: LogLine['level']) =>
    (event: string, fields?: Readonly<Record<string, unknown>>): void => {
      lines.push({ level, event, ...(fields !== undefined && { fields }) })
    }
  return {
    lines,
    of: (event) => lines.filter((line) => line.event === event).map(({ fields }) => fields),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  }
}
