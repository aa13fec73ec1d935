import type { Logger } from '@svc/platform'

/** A log that is kept: `<level> <event> <fields>`. */
export function recordedLog(): { readonly lines: string[]; readonly log: Logger } {
  const lines: string[] = []
  const note =
    (level: string): Logger['info'] =>
    (event, fields) => {
      lines.push(`${level} ${event} ${JSON.stringify(fields)}`)
    }
  return { lines, log: { info: note('info'), warn: note('warn'), error: note('error') } }
}
