import { coversType, type Permission, VERBS } from './permission.ts'
import { parseScope } from './scope.ts'

const WRITE = 'POST,PUT,PATCH,DELETE'

/**
 * What a dynamically registered client may not get, as scope strings. Replaceable by `options.forbiddenScopes`.
 * @param namespace - prefix of doctypes (D20)
 * @see oauth.md 12.1
 */
export function defaultForbiddenScopes(namespace: string): readonly string[] {
  return [
    ...installRights(namespace),
    `${namespace}.account_types`,
    `${namespace}.accounts.soft_deleted`,
    `${namespace}.oauth.access_codes`,
    `${namespace}.permissions`,
    `${namespace}.remote.secrets`,
    `${namespace}.sessions`,
    // Reading them alone is fine.
    `${namespace}.sessions.logins:${WRITE}`,
    'configs',
    'instances',
    'secrets',
  ]
}

/** Rules no token of an ordinary client may use: the two lists of oauth.md 12.1, parsed. */
export class ForbiddenScopes {
  readonly #forbidden: readonly Permission[]
  readonly #installing: readonly Permission[]

  /**
   * @param scopes - each a rule of the scope grammar
   * @throws TypeError naming the one that is not
   */
  constructor(namespace: string, scopes: readonly string[] = defaultForbiddenScopes(namespace)) {
    this.#forbidden = scopes.map((scope) => parseRule(scope))
    this.#installing = installRights(namespace).map((scope) => parseRule(scope))
  }

  /** Whether a rule may not be asked for. */
  includes(rule: Permission): boolean {
    return rule.type === '*' || this.#forbidden.some((other) => overlap(rule, other))
  }

  /** Whether any rule about the type may not be asked for. */
  touches(type: string): boolean {
    return this.includes({ type, verbs: VERBS })
  }

  /** The rules of an ordinary client's token that count. */
  allowed(permissions: readonly Permission[]): readonly Permission[] {
    return permissions.filter((rule) => !this.includes(rule))
  }

  /** The rules of a linked client's app without the right to install: all else is what the app may do. */
  withoutInstalling(permissions: readonly Permission[]): readonly Permission[] {
    return permissions.flatMap((rule) => {
      const denied = this.#installing.filter((other) => touches(rule.type, other.type))
      const verbs = VERBS.filter(
        (verb) => rule.verbs.includes(verb) && !denied.some((other) => other.verbs.includes(verb)),
      )
      return verbs.length === 0 ? [] : [{ ...rule, verbs }]
    })
  }
}

function installRights(namespace: string): readonly string[] {
  return [`${namespace}.apps:${WRITE}`, `${namespace}.konnectors:${WRITE}`]
}

/** Whether a text is one rule of the scope grammar. */
export function isRule(scope: string): boolean {
  return parseScope(scope)?.length === 1
}

function parseRule(scope: string): Permission {
  const [rule, ...others] = parseScope(scope) ?? []
  if (rule === undefined || others.length > 0)
    throw new TypeError(`options.forbiddenScopes: ${JSON.stringify(scope)} is not a rule`)
  return rule
}

/** Whether both let a verb be used on some type, whatever documents they are limited to. */
export function overlap(rule: Permission, other: Permission): boolean {
  return touches(rule.type, other.type) && rule.verbs.some((verb) => other.verbs.includes(verb))
}

/** Whether some type is of both: values never make a forbidden type harmless. */
function touches(a: string, b: string): boolean {
  return coversType(a, b) || coversType(b, a)
}
