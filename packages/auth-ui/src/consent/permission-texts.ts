import { either, flag, object, type Option, record, text } from '@svc/platform/options'

/** What a kind of data is called in one language, and what each access to it means. Whole phrases. */
export interface PermissionText {
  /** Such as `Recipes`. */
  readonly name: string
  /** Such as `See your recipes and who cooked them`. */
  readonly read?: string
  /** Such as `Add recipes`. */
  readonly add?: string
  /** Such as `Change recipes`. */
  readonly change?: string
  /** Such as `Throw recipes away`. */
  readonly delete?: string
}

/**
 * Words of the host for kinds of data: by doctype, then by BCP 47 tag. Beside them `sensitive: true` says that the kind
 * hurts in the wrong hands: the consent page then cautions, and proposes less time.
 */
export type PermissionTexts = Readonly<
  Record<string, Readonly<Record<string, PermissionText | boolean>>>
>

/** Finds the words of the host for a doctype; undefined: those of the package, or the raw name, have to do. */
export type FindPermissionText = (locale: string, type: string) => PermissionText | undefined

const FALLBACK = 'en'
const LONGEST = 200
const SENSITIVE = 'sensitive'

/** The best language there is: the tag itself, its base language, English. A wildcard has the words of its root. */
export function findPermissionText(texts: PermissionTexts): FindPermissionText {
  const found = new Map(Object.entries(texts))
  return function find(locale, type) {
    const root = type.endsWith('.*') ? type.slice(0, -2) : type
    const byLocale = new Map(Object.entries(found.get(type) ?? found.get(root) ?? {}))
    const language = locale.split(/[-_]/u, 1)[0] ?? ''
    const text = byLocale.get(locale) ?? byLocale.get(language) ?? byLocale.get(FALLBACK)
    return typeof text === 'object' ? text : undefined
  }
}

/** Whether the host calls a kind sensitive; a wildcard is when its root is. */
export function isSensitiveText(texts: PermissionTexts): (type: string) => boolean {
  const found = new Map(Object.entries(texts))
  return function isSensitive(type) {
    const root = type.endsWith('.*') ? type.slice(0, -2) : type
    return (found.get(type) ?? found.get(root))?.[SENSITIVE] === true
  }
}

/** The option that holds them. */
export function permissionTexts(): Option<PermissionTexts> {
  const words = text(`a text of 1 to ${LONGEST} characters`, { minLength: 1, maxLength: LONGEST })
  const optional = words.optional()
  const texts = object({
    name: words,
    read: optional,
    add: optional,
    change: optional,
    delete: optional,
  })
  return record(record(either(texts, flag())))
}
