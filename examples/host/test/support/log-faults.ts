import type { LogEvents } from '@svc/store'

/** What a line of any event may have beside the fields of its row. */
const COMMON: readonly string[] = [
  'address',
  'audit',
  'domain',
  'event',
  'level',
  'msg',
  'process',
  'proxy_request_id',
  'request_id',
  'time',
]

/** What in a line of the log the table of its event does not say. */
export function logFaults(
  events: LogEvents,
  level: string,
  event: string,
  fields: Readonly<Record<string, unknown>> = {},
): string[] {
  const row = events[event]
  if (row === undefined) return [`${event} is no event of the table`]
  const types: Readonly<Record<string, string>> = row.fields ?? {}
  const isMarked = fields['audit'] === true
  return [
    ...(row.level === level
      ? []
      : [`${event} is written as ${level}, and its level is ${row.level}`]),
    ...(isMarked === (row.audit === true) ? [] : [`audit is ${isMarked} in ${event}`]),
    ...Object.entries(types).flatMap(([name, type]) => {
      const value = fields[name]
      if (value === undefined) return type.endsWith('?') ? [] : [`${event} lacks ${name}`]
      return isOf(type.replace('?', ''), value) ? [] : [`${name} of ${event} is no ${type}`]
    }),
    ...Object.keys(fields)
      .filter((name) => !(name in types) && !COMMON.includes(name))
      .map((name) => `${event} has ${name}, which its row does not name`),
  ]
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'any') return true
  return type === 'list' ? Array.isArray(value) : typeof value === type
}
