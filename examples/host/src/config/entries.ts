import { CONFIG_ENTRIES } from './config.schema.ts'
import type { ConfigEntry, ConfigGroup } from './entry.ts'
import { SIZE_PATTERN } from './size.ts'

/** One entry with its place in the file and its environment variable. */
export interface NamedEntry {
  /** `mail.fromName` */
  readonly path: string
  /** `SVC_MAIL_FROM_NAME` */
  readonly env: string
  readonly entry: ConfigEntry
}

/** Every entry of the configuration, in the order of the schema. */
export function listEntries(group: ConfigGroup = CONFIG_ENTRIES, prefix = ''): NamedEntry[] {
  return Object.entries(group).flatMap(([name, row]) => {
    const path = `${prefix}${name}`
    if (!isEntry(row)) return listEntries(row, `${path}.`)
    return [{ path, env: row.env ?? environmentName(path), entry: row }]
  })
}

/** `mail.fromName` is `SVC_MAIL_FROM_NAME`. */
export function environmentName(path: string): string {
  const words = path.replaceAll('.', '_').replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
  return `SVC_${words.toUpperCase()}`
}

/**
 * The JSON Schema of the configuration file: nothing beside the entries is let through.
 * @param given - what is to be checked: entries that it does not have are left out, since compiling those of all
 *   settings would be a fifth of the work of a start. Absent: all of them
 */
export function fileSchema(given?: unknown): Readonly<Record<string, unknown>> {
  return groupSchema(CONFIG_ENTRIES, given)
}

function groupSchema(group: ConfigGroup, given: unknown): Record<string, unknown> {
  const isGiven = (name: string): boolean =>
    given === undefined || memberOf(given, name) !== undefined
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(group)
        .filter(([name]) => isGiven(name))
        .map(([name, row]) => [
          name,
          isEntry(row) ? entrySchema(row) : groupSchema(row, memberOf(given, name)),
        ]),
    ),
  }
}

/** The own member of a value that was read from JSON. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

function entrySchema(entry: ConfigEntry): Record<string, unknown> {
  const { type, pattern, minimum, maximum } = entry
  if (type === 'json') return entry.schema ?? {}
  if (type === 'size') return { type: 'string', pattern: SIZE_PATTERN }
  if (type === 'duration') return { type: 'string', pattern: '^(?:0|[0-9]{1,9}(?:ms|s|m|h|d))$' }
  return {
    type,
    ...(type === 'string' && { minLength: 1, maxLength: 16_384 }),
    ...(pattern !== undefined && { pattern }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(entry.enum !== undefined && { enum: entry.enum }),
  }
}

function isEntry(row: ConfigEntry | ConfigGroup): row is ConfigEntry {
  return typeof row['type'] === 'string'
}
