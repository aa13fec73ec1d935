/** What a field of a log line holds: `cause` is text, `faults` a list. A question mark: not on every line. */
export type LogFieldType = 'string' | 'number' | 'boolean' | 'list' | 'any'

/** What is known of a log line before it is written. */
export interface LogEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** Belongs to the audit stream: it says who did what. @see security.md 113 */
  readonly audit?: true
  /** When it is written, and what to do about it, for the reference. */
  readonly when: string
  /** Without what every line may have: `time`, `process`, `request_id`, `proxy_request_id`, `address`, `domain`. */
  readonly fields?: Readonly<Record<string, LogFieldType | `${LogFieldType}?`>>
  /** Version that wrote it first. */
  readonly since: string
}

/**
 * The log events of a package, by name. A table is written `as const`, so that its rows are types.
 * @see operation.md 7.7
 */
export type LogEvents = Readonly<Record<string, LogEvent>>

interface Values {
  readonly string: string
  readonly number: number
  readonly boolean: boolean
  readonly list: readonly unknown[]
  readonly any: unknown
}

type Value<Type> = Type extends `${infer Base extends LogFieldType}?`
  ? Values[Base] | undefined
  : Type extends LogFieldType
    ? Values[Type]
    : never

type Optional<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends `${string}?` ? Name : never
}[keyof Fields]

type Given<Fields> = {
  readonly [Name in Exclude<keyof Fields, Optional<Fields>>]: Value<Fields[Name]>
} & { readonly [Name in Optional<Fields>]?: Value<Fields[Name]> }

/**
 * What goes with an event: its fields, where it has any.
 * @example
 * const LATE = { fields: { ms: 'number' } } as const
 * const tell = (...fields: LogFields<typeof LATE>) => fields.length
 */
export type LogFields<Row> = Row extends { readonly fields: infer Fields }
  ? [keyof Fields] extends [Optional<Fields>]
    ? [fields?: Given<Fields>]
    : [fields: Given<Fields>]
  : []

/**
 * Names of the events of a level.
 * @example
 * const EVENTS = { 'courier.late': { level: 'warn', when: 'A letter is late.', since: '0.1.0' } } as const
 * const event: LogEventOf<typeof EVENTS, 'warn'> = 'courier.late'
 */
export type LogEventOf<Events extends LogEvents, Level> = {
  [Name in keyof Events]: Events[Name]['level'] extends Level ? Name : never
}[keyof Events]
