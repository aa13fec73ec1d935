import { KIND_GROUPS, kindGroupOf, type Permission, serializeScope } from '@svc/oauth-core'
import { leftToRight, type Messages } from '../messages.ts'
import type { FindPermissionText, PermissionText } from './permission-texts.ts'
import { type AccessWords, accessOf, kindKey, limitOf, type Words } from './permission-words.ts'

/** Permissions of one section of the page. */
export interface PermissionGroup {
  readonly labelKey: string
  readonly items: readonly PermissionItem[]
}

/** One permission in words. */
export interface PermissionItem {
  /** Its place in the request: `permission-<place>` is its field. */
  readonly place: number
  readonly isTicked: boolean
  readonly kind: Words
  /** The host's name for the kind, in its place. */
  readonly name?: string
  /** The host's words for an access in the place of the key's. */
  readonly access: readonly (AccessWords & { readonly text?: string })[]
  readonly limit?: Words
  readonly note?: Words
  /** The app's own words about why. */
  readonly description?: string
  readonly raw: string
}

/** A permission and where it stands in the request. */
export interface PlacedPermission {
  readonly permission: Permission
  readonly place: number
  readonly isTicked: boolean
}

export interface ItemOptions {
  readonly namespace: string
  readonly messages: Messages
  readonly findText: FindPermissionText
}

/** Permissions by kind, what is most personal first. */
export function groupsOf(
  permissions: readonly PlacedPermission[],
  options: ItemOptions,
): readonly PermissionGroup[] {
  return KIND_GROUPS.map((group) => ({
    labelKey: `group.${group}`,
    items: permissions
      .filter(({ permission }) => kindGroupOf(permission.type, options.namespace) === group)
      .map((placed) => itemOf(placed, options)),
  })).filter((group) => group.items.length > 0)
}

/** One permission in words. */
export function itemOf(
  { permission, place, isTicked }: PlacedPermission,
  { namespace, messages, findText }: ItemOptions,
): PermissionItem {
  const { type, description } = permission
  const text = findText(messages.locale, type)
  const key = kindKey(type, namespace, messages)
  const limit = limitOf(permission)
  const isKnown = text !== undefined || key !== undefined || type === '*'
  const note = noteOf(type, isKnown)
  return {
    place,
    isTicked,
    kind: kindOf(type, key),
    ...(text === undefined ? {} : { name: text.name }),
    access: withTexts(accessOf(permission.verbs), text),
    ...(limit === undefined ? {} : { limit }),
    ...(note === undefined ? {} : { note }),
    ...(description === undefined ? {} : { description }),
    raw: serializeScope([permission]),
  }
}

function noteOf(type: string, isKnown: boolean): Words | undefined {
  if (type.endsWith('.*')) return ['consent.wildcard', {}]
  return isKnown ? undefined : ['consent.unknown', { type: leftToRight(type) }]
}

function kindOf(type: string, key: string | undefined): Words {
  if (type === '*') return ['consent.everything', {}]
  return key === undefined ? ['permission.unknown', { type: leftToRight(type) }] : [key, {}]
}

function withTexts(
  access: readonly AccessWords[],
  text: PermissionText | undefined,
): PermissionItem['access'] {
  if (text === undefined) return access
  return access.map((words) => {
    const said = text[words.icon]
    return said === undefined ? words : { ...words, text: said }
  })
}
