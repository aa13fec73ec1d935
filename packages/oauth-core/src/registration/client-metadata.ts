import { OAuthError } from '../errors.ts'
import type { Instance } from '@svc/platform'
import { type ClientMetadata, isPublic, STAND_IN_NAME } from '../clients/client.ts'
import { isRedirectList, readNotifications } from './client.schema.ts'
import { fitsPlatform, isDeviceToken, isPlatform } from '../clients/device-token.ts'
import { isProgramUri, isRedirectUri } from './redirect-uri.ts'

/** What a client may say about itself, in the order it is checked (oauth.md 3.1). Nothing else is ever looked at. */
const MEMBERS = [
  'redirect_uris',
  'client_name',
  'software_id',
  'notification_platform',
  'client_uri',
  'logo_uri',
  'policy_uri',
  'software_version',
  'client_kind',
  'notification_device_token',
  'notifications',
  'token_endpoint_auth_method',
] as const

type Member = (typeof MEMBERS)[number]

/** What a client without a secret has nothing of: it is linked to no app, and no device is notified through it. */
const MEMBERS_WITH_SECRET: readonly Member[] = [
  'software_id',
  'notification_platform',
  'notification_device_token',
  'notifications',
  'token_endpoint_auth_method',
]

/** With one of these and without `software_id`, whatever they say, a program of today registers. @see decision D90 */
const PUBLIC_SIGNS = ['token_endpoint_auth_method', 'grant_types', 'response_types'] as const

const MAX_REDIRECT_URIS = 20
const MAX_NAME_CHARACTERS = 100
const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
/** Control, format (bidi overrides, zero-width), private-use and invisible characters. @see security.md 90 */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]/u
/** SPEC: D103 - drawn as nothing; a mark needs a letter to stand on. */
const UNSEEN = /^[\p{Default_Ignorable_Code_Point}\p{M}\p{C}\p{Z}\u2800\ufffc]*$/u
const CONTROL = /[\p{Cc}\p{Cs}]/u

/** Members of a request body that this package knows. A `Map`, so that `__proto__` is a name like any other. */
export type Members = ReadonlyMap<Member, unknown>

/**
 * The known members of a JSON body.
 * @throws OAuthError `invalid_request` for anything but an object
 */
export function pickMembers(body: unknown): Members {
  const record = objectBody(body)
  return new Map(
    MEMBERS.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]]),
  )
}

/** @throws OAuthError `invalid_request` for anything but an object */
export function objectBody(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new OAuthError('invalid_request', { description: 'the body must be a JSON object' })
  }
  // An object that JSON.parse made.
  return body as Readonly<Record<string, unknown>>
}

type Rule = (value: unknown, instance: Instance) => unknown

const RULES: Readonly<Record<Member, Rule>> = {
  redirect_uris: redirectUris,
  client_name: clientName,
  software_id: softwareId,
  notification_platform: platform,
  client_uri: (value) => webUrl('client_uri', value),
  logo_uri: (value) => webUrl('logo_uri', value),
  policy_uri: (value) => webUrl('policy_uri', value),
  software_version: (value) => plainText('software_version', value, 1024),
  client_kind: (value) => plainText('client_kind', value, 1024),
  notification_device_token: deviceToken,
  notifications: (value) => readNotifications(value) ?? refuse('notifications is invalid'),
  // SPEC: RFC 7591 section 3.2.1 - another method than was asked for is registered; the answer says which.
  token_endpoint_auth_method: (value) =>
    value === 'client_secret_basic' ? value : 'client_secret_post',
}

/**
 * Whether a body registers a client without a secret: it names no software, and it either carries a member that only
 * programs of today send, or can be answered by programs of the owner's device alone.
 * @see assistants.md 3.8; decision D90
 */
export function asksForNoSecret(body: unknown, members: Members): boolean {
  if ((members.get('software_id') ?? '') !== '') return false
  const uris = members.get('redirect_uris')
  return (
    PUBLIC_SIGNS.some((name) => Object.hasOwn(objectBody(body), name)) ||
    (isRedirectList(uris) && uris.every(isProgramUri))
  )
}

/**
 * What a client says about itself at its registration: `""` and `null` are absent.
 * @throws OAuthError 400, the first failure in order
 */
export function readNewMetadata(members: Members, instance: Instance): ClientMetadata {
  return read(members, {}, instance)
}

/**
 * What a client changes about itself: absent keeps, `""` and `null` clear (D21).
 * @throws OAuthError 400, the first failure in order
 */
export function readMetadataUpdate(
  members: Members,
  current: ClientMetadata,
  instance: Instance,
): ClientMetadata {
  if (isPublic({ metadata: current })) return readPublicMetadata(members, current, instance)
  const changed = new Map(members)
  // SPEC: assistants.md 3.8 - it is decided at registration.
  changed.delete('token_endpoint_auth_method')
  const metadata = read(changed, current, instance)
  // SPEC: oauth.md 3.5 - an old token must not come to mean another app's permissions.
  if (metadata.software_id !== current.software_id) refuse('software_id is immutable')
  return metadata
}

/**
 * The same of a client without a secret, new or changed.
 * @throws OAuthError 400, the first failure in order
 * @see assistants.md 3.8
 */
export function readPublicMetadata(
  members: Members,
  current: Partial<ClientMetadata>,
  instance: Instance,
): ClientMetadata {
  const known = new Map([...members].filter(([name]) => !MEMBERS_WITH_SECRET.includes(name)))
  const { client_name: name = STAND_IN_NAME } = current
  const asked = known.get('client_name')
  // SPEC: D90 - programs register without a name; one that was given is never cleared (D21).
  if (name !== STAND_IN_NAME && asked === STAND_IN_NAME) refuse('client_name is mandatory')
  if (name === STAND_IN_NAME && isBlank(asked)) known.set('client_name', STAND_IN_NAME)
  const metadata = read(known, { ...current, software_id: '' }, instance)
  const shown = metadata.redirect_uris.find((uri) => /^urn:/i.test(uri))
  // A code that is carried by hand is what PKCE cannot protect.
  if (shown !== undefined) throw invalidRedirectUri(`${shown} is invalid`)
  return { ...metadata, software_id: '', token_endpoint_auth_method: 'none' }
}

function read(
  members: Members,
  current: Partial<ClientMetadata>,
  instance: Instance,
): ClientMetadata {
  const metadata: Record<string, unknown> = { ...current }
  for (const name of MEMBERS) {
    const value = members.get(name)
    const isCleared = members.has(name) && (value === null || value === '')
    if (isCleared) delete metadata[name]
    // What is mandatory is checked even when it is not there.
    if (value !== undefined && !isCleared) metadata[name] = RULES[name](value, instance)
    else if (isMandatory(name) && metadata[name] === undefined) RULES[name](undefined, instance)
  }
  if (members.has('notification_platform') || members.has('notification_device_token')) {
    checkDevice(metadata)
  }
  // Every member has been through its rule, now or when it was stored.
  return metadata as unknown as ClientMetadata
}

function isMandatory(name: Member): boolean {
  return name === 'redirect_uris' || name === 'client_name' || name === 'software_id'
}

function redirectUris(value: unknown, instance: Instance): readonly string[] {
  if (!isRedirectList(value)) throw invalidRedirectUri('redirect_uris is mandatory')
  const uris = [...new Set(value)]
  if (uris.length > MAX_REDIRECT_URIS) throw invalidRedirectUri('redirect_uris is invalid')
  for (const uri of uris) {
    if (!isRedirectUri(uri, instance)) throw invalidRedirectUri(`${uri.slice(0, 2048)} is invalid`)
  }
  return uris
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

function clientName(value: unknown): string {
  if (typeof value !== 'string' || isBlank(value)) refuse('client_name is mandatory')
  return isClientName(value) ? value : refuse('client_name is invalid')
}

/** Whether a name shows anything at all. @see decision D103 */
export function hasVisibleCharacter(name: string): boolean {
  return !UNSEEN.test(name)
}

/** Whether a client may be called so: at most 100 characters that show what they are, one of them at least. */
export function isClientName(name: string): boolean {
  const isShort = name.length <= 2 * MAX_NAME_CHARACTERS && [...name].length <= MAX_NAME_CHARACTERS
  return isShort && !DECEPTIVE.test(name) && hasVisibleCharacter(name)
}

function softwareId(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') refuse('software_id is mandatory')
  return plainText('software_id', value, 255)
}

function platform(value: unknown): string {
  const name = typeof value === 'string' && value.length <= 32 ? value.toLowerCase() : ''
  return isPlatform(name) ? name : refuse('notification_platform is invalid')
}

function deviceToken(value: unknown): string {
  const isFine = typeof value === 'string' && isDeviceToken(value)
  return isFine ? value : refuse('notification_device_token is invalid')
}

/** SPEC: notifications.md 17 - what the other member was before counts, too. */
function checkDevice({
  notification_platform,
  notification_device_token,
}: Partial<ClientMetadata>) {
  if (notification_device_token === undefined) return
  if (!fitsPlatform(notification_device_token, notification_platform)) {
    refuse('notification_device_token is invalid')
  }
}

/** SPEC: D47 - these become links on a page the owner trusts. */
function webUrl(name: Member, value: unknown): string {
  const text = plainText(name, value, 2048)
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || /[\s\\]/.test(text) || url.username !== '' || url.password !== '') {
    refuse(`${name} is invalid`)
  }
  const isLocal = LOOPBACK_NAMES.includes(url.hostname)
  return url.protocol === 'https:' || isLocal ? text : refuse(`${name} is invalid`)
}

function plainText(name: Member, value: unknown, maxLength: number): string {
  const isFine = typeof value === 'string' && value.length <= maxLength && !CONTROL.test(value)
  return isFine ? value : refuse(`${name} is invalid`)
}

function refuse(description: string): never {
  throw new OAuthError('invalid_client_metadata', { description })
}

function invalidRedirectUri(description: string): OAuthError {
  return new OAuthError('invalid_redirect_uri', { description })
}
