import { Ajv, type ValidateFunction } from 'ajv'

type JsonSchema = Readonly<Record<string, unknown>>

const SECOND_NS = 1_000_000_000
const DAY_S = 86_400
const DURATION = '^[1-9][0-9]{0,6}[smhd]$'
const LONGEST_S = 28 * DAY_S

/** A duration of a category: nanoseconds, or a number and its unit; 1 s to 28 d. */
const durationSchema: JsonSchema = {
  anyOf: [
    { type: 'integer', minimum: SECOND_NS, maximum: LONGEST_S * SECOND_NS },
    { type: 'string', pattern: DURATION },
  ],
}

/** Declarations of notifications: category name to declaration. @see notifications.md 4.2 */
export const notificationsSchema: JsonSchema = {
  type: 'object',
  maxProperties: 50,
  propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$' },
  additionalProperties: {
    type: 'object',
    additionalProperties: false,
    properties: {
      description: { type: 'string', maxLength: 500 },
      collapsible: { type: 'boolean' },
      stateful: { type: 'boolean' },
      multiple: { type: 'boolean' },
      default_priority: { enum: ['high', 'normal'] },
      time_to_live: durationSchema,
      min_interval: durationSchema,
    },
  },
}

const text = (maxLength: number): JsonSchema => ({ type: 'string', maxLength })

const PROPERTIES: JsonSchema = {
  redirect_uris: { type: 'array', items: text(2048), minItems: 1 },
  client_name: text(100),
  software_id: text(255),
  software_version: text(1024),
  client_kind: text(1024),
  client_uri: text(2048),
  logo_uri: text(2048),
  policy_uri: text(2048),
  notification_platform: text(32),
  notification_device_token: text(4096),
  notifications: notificationsSchema,
}

/** What a client may say about itself; every other member is dropped. @see oauth.md 3.1, decision D47 */
export const clientSchema: JsonSchema = {
  type: 'object',
  required: ['redirect_uris', 'client_name', 'software_id'],
  properties: PROPERTIES,
}

/** A change: what is left out stays, `""` and `null` clear. @see decision D21 */
export const clientUpdateSchema: JsonSchema = {
  ...clientSchema,
  required: ['client_id'],
  properties: {
    client_id: text(128),
    client_secret: text(1024),
    ...PROPERTIES,
  },
}

/** Compiled checks of single members. */
export interface MemberChecks {
  isRedirectList(value: unknown): value is readonly string[]
  /** A copy without members nobody knows, or undefined when something is wrong. */
  notifications(value: unknown): Readonly<Record<string, unknown>> | undefined
}

/** Compiles what is checked with a schema; once a package, since it costs milliseconds. */
export function compileMemberChecks(): MemberChecks {
  const ajv = new Ajv({ removeAdditional: true, strict: true })
  const isRedirectList: ValidateFunction<readonly string[]> = ajv.compile({
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
  })
  const isNotifications: ValidateFunction<Readonly<Record<string, unknown>>> =
    ajv.compile<Readonly<Record<string, unknown>>>(notificationsSchema)

  return {
    isRedirectList: (value): value is readonly string[] => isRedirectList(value),
    notifications(value) {
      const copy: unknown = structuredClone(value)
      if (!isNotifications(copy)) return undefined
      return Object.values(copy).every(hasFittingDurations) ? copy : undefined
    },
  }
}

const UNITS_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: DAY_S }

function hasFittingDurations(declaration: unknown): boolean {
  // Objects, by the schema.
  const { time_to_live, min_interval } = declaration as Readonly<Record<string, unknown>>
  return [time_to_live, min_interval].every(
    (value) =>
      typeof value !== 'string' ||
      Number(value.slice(0, -1)) * (UNITS_S[value.slice(-1)] ?? 0) <= LONGEST_S,
  )
}
