import { localType, type Permission, type Verb } from '@svc/oauth-core'
import type { FindPermissionText } from './permission-texts.ts'
import { leftToRight, type Messages, type MessageValues } from '../messages.ts'

/** One thing a rule lets an app do, read apart from change apart from delete. */
export interface AccessWords {
  readonly kind: 'read' | 'change' | 'delete'
  readonly icon: 'read' | 'add' | 'change' | 'delete'
  /** Key of the verb: `readOnly`, `read`, `add`, `change` or `delete`. */
  readonly key: string
}

/** Key of the words for a doctype, or undefined when only its raw name can be shown. */
export function kindKey(type: string, namespace: string, messages: Messages): string | undefined {
  const name = localType(type, namespace)
  const key = `doctype.${name}`
  return name !== undefined && messages.has(key) ? key : undefined
}

/** What the verbs of a rule come to, in the order read, add, change, delete. */
export function accessOf(verbs: readonly Verb[]): readonly AccessWords[] {
  const may = new Set(verbs)
  if (verbs.length > 0 && verbs.every((verb) => verb === 'GET'))
    return [{ kind: 'read', icon: 'read', key: 'readOnly' }]
  const words: AccessWords[] = []
  if (may.has('GET')) words.push({ kind: 'read', icon: 'read', key: 'read' })
  if (may.has('POST')) words.push({ kind: 'change', icon: 'add', key: 'add' })
  if (may.has('PUT') || may.has('PATCH'))
    words.push({ kind: 'change', icon: 'change', key: 'change' })
  if (may.has('DELETE')) words.push({ kind: 'delete', icon: 'delete', key: 'delete' })
  return words
}

/** A text of the catalogue: its key and what goes into it. */
export type Words = readonly [key: string, values: MessageValues]

/** What a rule is limited to, in words; undefined when it covers the whole type. */
export function limitOf(permission: Permission): Words | undefined {
  const count = permission.values?.length ?? 0
  if (count === 0) return undefined
  if (permission.selector === undefined) return ['consent.limited.ids', { count }]
  return ['consent.limited.field', {}]
}

/** What a kind of data is called. @param findText words of the host */
export function kindWords(
  messages: Messages,
  { type }: Pick<Permission, 'type'>,
  namespace: string,
  findText?: FindPermissionText,
): string {
  if (type === '*') return messages.text('consent.everything')
  const key = kindKey(type, namespace, messages)
  return (
    findText?.(messages.locale, type)?.name ??
    (key === undefined
      ? messages.text('permission.unknown', { type: leftToRight(type) })
      : messages.text(key))
  )
}

/**
 * One permission as a sentence without markup, for lists of connected apps: `Contacts: read, change`.
 * @param findText words of the host
 */
export function permissionSentence(
  messages: Messages,
  permission: Permission,
  namespace: string,
  findText?: FindPermissionText,
): string {
  if (permission.type === '*') return messages.text('consent.everything')
  const kind = kindWords(messages, permission, namespace, findText)
  const access = accessOf(permission.verbs)
    .map((words) => messages.text(`permission.access.${words.key}`))
    .join(', ')
  const limit = limitOf(permission)
  if (limit === undefined) return messages.text('permission.sentence', { kind, access })
  return messages.text('permission.limited', { kind, access, limit: messages.text(...limit) })
}
