import { Ajv, type ValidateFunction } from 'ajv'
import { hasFittingDurations, notificationsSchema } from './notification-categories.ts'

type JsonSchema = Readonly<Record<string, unknown>>

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
