import { type BodySchema, compiledSchema, describedSchema } from '@svc/platform'
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
export const clientSchema: BodySchema = describedSchema({
  type: 'object',
  required: ['redirect_uris'],
  properties: {
    ...PROPERTIES,
    client_name: { ...text(100), description: 'mandatory with `software_id`' },
    software_id: { ...text(255), description: 'of every client that is to have a secret' },
    token_endpoint_auth_method: {
      type: 'string',
      description:
        'without `software_id` and where resources are offered, any value registers `none`, as `grant_types` and `response_types` do; with it, the answer names the registered method',
    },
  },
})

/** A change: what is left out stays, `""` and `null` clear. @see decision D21 */
export const clientUpdateSchema: BodySchema = describedSchema({
  type: 'object',
  required: ['client_id'],
  properties: {
    client_id: text(128),
    client_secret: text(1024),
    ...PROPERTIES,
  },
})

const REDIRECT_LIST = { type: 'array', items: { type: 'string' }, minItems: 1 }

export function isRedirectList(value: unknown): value is readonly string[] {
  return compiledSchema(REDIRECT_LIST)(value)
}

/** A copy without members nobody knows, or undefined when something is wrong. */
export function readNotifications(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const copy: unknown = structuredClone(value)
  const isNotifications = compiledSchema<Readonly<Record<string, unknown>>>(notificationsSchema, {
    removeAdditional: true,
  })
  if (!isNotifications(copy)) return undefined
  return Object.values(copy).every(hasFittingDurations) ? copy : undefined
}
