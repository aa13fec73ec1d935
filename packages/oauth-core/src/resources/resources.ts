import type { Instance } from '@svc/platform'
import type { ForbiddenScopes } from '../scopes/forbidden.ts'
import { parseScope } from '../scopes/scope.ts'

/** A part of an embedding server that takes tokens of its own (RFC 8707), on every instance. */
export interface ResourceOptions {
  /** Below the address of each instance, such as `/mcp`. */
  readonly path: string
  /** What it is called. */
  readonly name: string
  /** Rules that its metadata offers: one type and one verb each. At most 32. */
  readonly scopes: readonly string[]
  /** Whether clients without a secret may ask for it. The first such resource is theirs when they name none. */
  readonly isOpen: boolean
  /** Whether its grants hold nothing but GET: clients that ask for more are refused. @defaultValue `false` */
  readonly isReadOnly?: boolean
  /** Address of the operator's page about it. */
  readonly documentation?: string
}

/** A registered resource. */
export type Resource = Readonly<ResourceOptions>

const PATH = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/
const MAX_PATH = 128
const MAX_SCOPES = 32
/** Scheme, authority, rest. A fragment, be it an empty one, is refused before. */
const ABSOLUTE = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]+)(.*)$/s

/** The resources of a server: none until some package registers one. @see assistants.md 1.1 */
export class Resources {
  readonly #byPath = new Map<string, Resource>()
  /** What no grant with a resource holds. */
  readonly reserved: Pick<ReservedTypes, 'includes'>

  constructor(reserved: Pick<ReservedTypes, 'includes'>) {
    this.reserved = reserved
  }

  /** @throws TypeError for a path that is taken or no path, or a scope that cannot be offered */
  add(options: ResourceOptions): Resource {
    const { path, scopes, documentation } = options
    if (path.length > MAX_PATH || !PATH.test(path)) throw fault(path, 'is not a path')
    if (this.#byPath.has(path)) throw fault(path, 'is registered already')
    if (scopes.length > MAX_SCOPES) throw fault(path, `offers more than ${MAX_SCOPES} scopes`)
    const wrong = scopes.find((scope) => !this.#isOffered(scope))
    if (wrong !== undefined) throw fault(path, `cannot offer the scope ${wrong}`)
    if (documentation !== undefined && !URL.canParse(documentation)) {
      throw fault(path, 'has a documentation that is no address')
    }
    const resource = Object.freeze({ ...options, scopes: Object.freeze([...scopes]) })
    this.#byPath.set(path, resource)
    return resource
  }

  get all(): readonly Resource[] {
    return [...this.#byPath.values()]
  }

  get isEmpty(): boolean {
    return this.#byPath.size === 0
  }

  /** What clients without a secret get when they name no resource, or the whole instance. */
  get open(): Resource | undefined {
    return this.all.find(({ isOpen }) => isOpen)
  }

  at(path: string): Resource | undefined {
    return this.#byPath.get(path)
  }

  /**
   * What a client's `resource` means: undefined is the interface itself, `unknown` nothing that it may have.
   * @param asked - `''`: it named none
   * @see assistants.md 4.1, 4.2
   */
  choose(asked: string, instance: Instance, isPublic: boolean): Resource | 'unknown' | undefined {
    const path = asked === '' ? '' : pathOf(asked, instance)
    if (path === '') {
      // SPEC: assistants.md 4.2 - a client that names the bare origin read it in the metadata for assistants.
      const meant = isPublic || asked !== '' ? this.open : undefined
      return meant ?? (isPublic ? 'unknown' : undefined)
    }
    const resource = path === undefined ? undefined : this.at(path)
    if (resource === undefined || (isPublic && !resource.isOpen)) return 'unknown'
    return resource
  }

  #isOffered(scope: string): boolean {
    const [rule, ...others] = parseScope(scope) ?? []
    if (rule === undefined || others.length > 0 || rule.verbs.length !== 1) return false
    return rule.values === undefined && !rule.type.includes('*') && !this.reserved.includes(rule)
  }
}

/** The audience of a resource's tokens on an instance. */
export function identifierOf({ path }: Resource, { origin }: Instance): string {
  return `${origin}${path}`
}

/** Whether a client's `resource` names the instance as a whole. */
export function isBareOrigin(identifier: string, instance: Instance): boolean {
  return pathOf(identifier, instance) === ''
}

/** The path behind the instance's address; undefined for another address. Only case and one slash are forgiven. */
function pathOf(identifier: string, { origin }: Instance): string | undefined {
  if (identifier.includes('#')) return undefined
  const [, base = '', rest = ''] = ABSOLUTE.exec(identifier) ?? []
  if (base.toLowerCase() !== origin) return undefined
  return rest.endsWith('/') ? rest.slice(0, -1) : rest
}

function fault(path: string, what: string): TypeError {
  return new TypeError(`resource ${JSON.stringify(path)} ${what}`)
}

/** Parts of doctypes, behind the namespace, that no assistant ever reads or writes. */
const RESERVED = [
  'account_types',
  'accounts',
  'apps',
  'auth',
  'konnectors',
  'notifications',
  'oauth',
  'permissions',
  'sessions',
  'settings',
  'sharings',
] as const

/** Types that no grant with a resource may hold, whatever the verb. @see assistants.md 4.8 */
export class ReservedTypes {
  readonly #beginnings: readonly string[]
  readonly #types: ReadonlySet<string>
  readonly #forbidden: Pick<ForbiddenScopes, 'touches'>

  /** @param more - types, or their beginnings with a `*` behind */
  constructor(
    namespace: string,
    forbidden: Pick<ForbiddenScopes, 'touches'>,
    more: readonly string[] = [],
  ) {
    this.#forbidden = forbidden
    this.#types = new Set(more.filter((type) => !type.endsWith('*')))
    this.#beginnings = [
      ...RESERVED.map((name) => `${namespace}.${name}`),
      ...more.filter((type) => type.endsWith('*')).map((type) => type.slice(0, -1)),
    ]
  }

  includes({ type }: { readonly type: string }): boolean {
    return (
      this.#types.has(type) ||
      this.#beginnings.some((beginning) => type.startsWith(beginning)) ||
      this.#forbidden.touches(type)
    )
  }
}
