import { localType } from '@svc/oauth-core'
import type { MessageValues, Messages } from '../messages.ts'
import type { FindPermissionText } from './permission-texts.ts'

/** What is needed to speak of kinds of data. */
export interface KindOptions {
  readonly namespace: string
  readonly messages: Messages
  readonly findText: FindPermissionText
  /** Whether the host calls a kind sensitive. */
  readonly isSensitive?: (type: string) => boolean
}

/** Kinds that hurt most in the wrong hands. */
const SENSITIVE = [
  'accounts',
  'bank',
  'contacts',
  'files',
  'geojson',
  'health',
  'identities',
  'mails',
  'oauth.clients',
  'passwords',
  'sessions.logins',
  'settings',
  'timeseries.geojson',
] as const

/** Whether a kind is sensitive, or a wildcard covers one that is. */
export function isSensitive(type: string, { namespace, ...options }: KindOptions): boolean {
  if (type === '*' || options.isSensitive?.(type) === true) return true
  const name = localType(type, namespace)
  if (name === undefined) return false
  const isWildcard = type.endsWith('.*')
  return SENSITIVE.some(
    (root) =>
      name === root || name.startsWith(`${root}.`) || (isWildcard && root.startsWith(`${name}.`)),
  )
}

/** Whether the page has words for a kind. */
export function isNamed(type: string, options: KindOptions): boolean {
  return phraseOf(type, options) !== undefined
}

/** A phrase for something that can be done something to: a key of the catalogue and what goes into it. */
export type Phrase = readonly [key: string, values: MessageValues]

/** What a kind is called in a sentence: `your files`. Undefined: there are no words for it. */
export function phraseOf(
  type: string,
  { namespace, messages, findText }: KindOptions,
): Phrase | undefined {
  const key = `kind.${localType(type, namespace)}`
  if (messages.has(key)) return [key, { form: 'plain' }]
  const text = findText(messages.locale, type)
  return text && ['object.named', { name: text.name }]
}
