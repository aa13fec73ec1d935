import { bodySchema, type BodySchema, compiledSchema } from '@svc/platform'
import { hasFittingDurations, notificationsSchema } from './notification-categories.ts'

const PROPERTIES = {
  redirect_uris: { description: 'mandatory: 1 to 20 addresses of at most 2048 characters' },
  client_name: { description: 'mandatory: text of at most 100 characters' },
  software_id: { description: 'mandatory: text of at most 255 characters' },
  software_version: { description: 'text of at most 1024 characters' },
  client_kind: { description: 'text of at most 1024 characters' },
  client_uri: { description: 'https address of at most 2048 characters' },
  logo_uri: { description: 'https address of at most 2048 characters' },
  policy_uri: { description: 'https address of at most 2048 characters' },
  notification_platform: { description: 'text of at most 32 characters' },
  notification_device_token: { description: 'text of at most 4096 characters' },
  notifications: { description: 'categories by name' },
}

/**
 * What a client may say about itself; every other member is dropped. Each member has a rule and an answer of its own,
 * in the order of RFC 7591's errors: `client-metadata.ts`. @see oauth.md 3.1, decision D47
 */
export const clientSchema: BodySchema = bodySchema({ type: 'object', properties: PROPERTIES })

/** A change: what is left out stays, `""` and `null` clear. @see decision D21 */
export const clientUpdateSchema: BodySchema = bodySchema({
  type: 'object',
  properties: {
    client_id: { description: 'mandatory: the identifier of the client' },
    client_secret: { description: 'the current secret, when a new one is wanted' },
    ...PROPERTIES,
    redirect_uris: { description: '1 to 20 addresses of at most 2048 characters' },
    client_name: { description: 'text of at most 100 characters' },
    software_id: { description: 'cannot be changed' },
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
