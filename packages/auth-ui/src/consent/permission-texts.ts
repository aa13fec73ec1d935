/** What a kind of data is called in one language, and what each access to it means. Whole phrases. */
export interface PermissionText {
  /** Such as `Recipes`. */
  readonly name: string
  /** Such as `See your recipes and who cooked them`. */
  readonly read?: string
  readonly add?: string
  readonly change?: string
  readonly delete?: string
}

/** Words of the host for kinds of data: by doctype, then by BCP 47 tag. */
export type PermissionTexts = Readonly<Record<string, Readonly<Record<string, PermissionText>>>>

/** Finds the words of the host for a doctype; undefined: those of the package, or the raw name, have to do. */
export type FindPermissionText = (locale: string, type: string) => PermissionText | undefined

const MEMBERS = ['name', 'read', 'add', 'change', 'delete']
const FALLBACK = 'en'
const LONGEST = 200

/** The best language there is: the tag itself, its base language, English. A wildcard has the words of its root. */
export function findPermissionText(texts: PermissionTexts): FindPermissionText {
  const found = new Map(Object.entries(texts))
  return function find(locale, type) {
    const root = type.endsWith('.*') ? type.slice(0, -2) : type
    const byLocale = new Map(Object.entries(found.get(type) ?? found.get(root) ?? {}))
    const language = locale.split(/[-_]/u, 1)[0] ?? ''
    return byLocale.get(locale) ?? byLocale.get(language) ?? byLocale.get(FALLBACK)
  }
}

/** What is wrong with the host's words, each fault with its path; none: they can be used. */
export function permissionTextFaults(texts: unknown): string[] {
  if (!isObject(texts)) return ['options.permissionTexts: not an object']
  return Object.entries(texts).flatMap(([type, byLocale]) => {
    const path = `options.permissionTexts.${type}`
    if (!isObject(byLocale)) return [`${path}: not an object`]
    return Object.entries(byLocale).flatMap(([locale, text]) =>
      isText(text)
        ? []
        : [`${path}.${locale}: not a name with texts of 1 to ${LONGEST} characters`],
    )
  })
}

function isText(text: unknown): boolean {
  if (!isObject(text) || text['name'] === undefined) return false
  return Object.entries(text).every(
    ([member, value]) =>
      MEMBERS.includes(member) &&
      typeof value === 'string' &&
      value !== '' &&
      value.length <= LONGEST,
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
