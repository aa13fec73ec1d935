import { parseScope, serializeScope } from '@svc/oauth-core'
import type { AuthUiServices } from '../services.ts'

/** One rule of a scope in words. */
export interface DescribedRule {
  /** The rule. */
  readonly scope: string
  /** What its kind of data is called, such as `Contacts`. */
  readonly kind: string
  /** All of it, such as `Contacts: read, change`. Plain words, not escaped. */
  readonly text: string
}

/**
 * What the rules of a scope let a client do, in the words of the consent page.
 * @param locale - BCP 47 tag; the nearest language that pages have
 * @throws TypeError for a text that is no scope; that of a linked client is none, since it names an app
 */
export function describeScope(
  { pages }: Pick<AuthUiServices, 'pages'>,
  scope: string,
  locale: string,
): readonly DescribedRule[] {
  const permissions = parseScope(scope)
  if (permissions === undefined) throw new TypeError('scope: is no scope')
  return permissions.map((permission) => ({
    scope: permission.type === '*' ? '*' : serializeScope([permission]),
    kind: pages.kindWords(locale, permission),
    text: pages.permissionWords(locale, permission),
  }))
}
