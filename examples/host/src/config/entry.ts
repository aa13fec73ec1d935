/**
 * One entry of the configuration. The environment variable of `mail.fromName` is `SVC_MAIL_FROM_NAME`; an entry with
 * `env` has that name instead. `docs/configuration.md` is made from these rows.
 */
export interface ConfigEntry {
  /** `json`: anything that fits the schema; JSON text in the environment. `size`: bytes, or such as `5GiB`. */
  readonly type: 'string' | 'integer' | 'boolean' | 'duration' | 'json' | 'size'
  readonly description: string
  /** Absent: the entry may be unset. */
  readonly default?: string | number | boolean
  /** What stands in the documentation when the default is computed. */
  readonly defaultText?: string
  readonly env?: string
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  /** JSON Schema of `json`. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** Never printed, not even in a fault. */
  readonly isSecret?: true
}

/** Entries by name; groups are objects of the JSON file. */
export interface ConfigGroup {
  readonly [name: string]: ConfigEntry | ConfigGroup
}
