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

/** The JSON Schema of the configuration file: nothing beside the entries is let through. */
export const FILE_SCHEMA: Readonly<Record<string, unknown>> = groupSchema(CONFIG_ENTRIES)

function groupSchema(group: ConfigGroup): Record<string, unknown> {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(group).map(([name, row]) => [
        name,
        isEntry(row) ? entrySchema(row) : groupSchema(row),
      ]),
    ),
  }
}

function entrySchema(entry: ConfigEntry): Record<string, unknown> {
  const { type, pattern, minimum, maximum } = entry
  if (type === 'json') return entry.schema ?? {}
  if (type === 'size') return { type: 'string', pattern: SIZE_PATTERN }
  if (type === 'duration') return { type: 'string', pattern: '^[0-9]{1,9}(ms|s|m|h|d)$' }
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
