/**
 * Sections of the consent page, what is most personal first; the form names them in `group-<name>-<right>`.
 * @example
 * const fields = KIND_GROUPS.flatMap((group) => RIGHTS.map((right) => `group-${group}-${right}`))
 */
export const KIND_GROUPS = ['files', 'people', 'money', 'account', 'apps', 'other'] as const

/**
 * The sections of the consent page, one for each group of kinds of documents.
 * @see docs/recipes/own-scopes.md of the repository
 */
export type KindGroup = (typeof KIND_GROUPS)[number]

const GROUP_OF: ReadonlyMap<string, KindGroup> = new Map<string, KindGroup>([
  ['accounts', 'apps'],
  ['apps', 'apps'],
  ['bank', 'money'],
  ['bills', 'money'],
  ['calendar', 'people'],
  ['contacts', 'people'],
  ['exports', 'account'],
  ['files', 'files'],
  ['home', 'account'],
  ['identities', 'account'],
  ['imports', 'account'],
  ['jobs', 'apps'],
  ['konnectors', 'apps'],
  ['mails', 'people'],
  ['notes', 'files'],
  ['notifications', 'account'],
  ['oauth', 'apps'],
  ['passwords', 'account'],
  ['permissions', 'files'],
  ['photos', 'files'],
  ['remote', 'apps'],
  ['sessions', 'account'],
  ['settings', 'account'],
  ['sharings', 'files'],
  ['tags', 'files'],
  ['terms', 'account'],
  ['triggers', 'apps'],
])

/**
 * A doctype without the namespace and the wildcard; undefined for one of another namespace.
 * @example
 * const type = localType('io.svc.files.*', oauth.namespace)
 */
export function localType(type: string, namespace: string): string | undefined {
  const name = type.endsWith('.*') ? type.slice(0, -2) : type
  return name.startsWith(`${namespace}.`) ? name.slice(namespace.length + 1) : undefined
}

/**
 * Which section a doctype belongs to.
 * @example
 * const group = kindGroupOf('io.svc.files', oauth.namespace) // files
 */
export function kindGroupOf(type: string, namespace: string): KindGroup {
  const first = localType(type, namespace)?.split('.')[0]
  return (first === undefined ? undefined : GROUP_OF.get(first)) ?? 'other'
}
