import type { RouteContext, SchemaFault } from '@svc/platform'
import { AuthUiError } from '../errors.ts'

/** Members of a JSON body that are texts. */
export interface PostedTexts {
  /** The member, or undefined when absent or `null`. @throws AuthUiError `invalid_parameter` for anything but text */
  get(name: string): string | undefined
  /** A member that has to be there. @throws AuthUiError `invalid_parameter` */
  require(name: string): string
}

/** A body that is absent or `null` has no members (clients.md 16). @throws AuthUiError `invalid_parameter` */
export function readPostedTexts(ctx: RouteContext): PostedTexts {
  const { json } = ctx.state
  const isAbsent = json === undefined || json === null
  if (!isAbsent && (typeof json !== 'object' || Array.isArray(json)))
    throw bad('the body', 'an object')
  const members = new Map<string, unknown>(Object.entries(isAbsent ? {} : (json as object)))

  function get(name: string): string | undefined {
    const value = members.get(name)
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string' && value.isWellFormed()) return value
    throw bad(name, 'a text')
  }

  return {
    get,
    require(name) {
      const value = get(name)
      if (value === undefined) throw bad(name, 'a text')
      return value
    },
  }
}

function bad(name: string, what: string): AuthUiError {
  return new AuthUiError('invalid_parameter', { description: `${name} must be ${what}` })
}

/** The second step as a JSON client sends it. */
export interface PostedPair {
  readonly token: string
  /** `''` when absent: wrong like any other. */
  readonly passcode: string
}

/**
 * The token with its code, under either of its names; undefined without a token.
 * @throws AuthUiError `invalid_parameter` when the two names say different things
 * @see login.md 0 number 9
 */
export function readPostedPair(posted: PostedTexts): PostedPair | undefined {
  const token = posted.get('two_factor_token') ?? ''
  const passcode = posted.get('two_factor_passcode')
  const code = posted.get('two_factor_code')
  if (passcode !== undefined && code !== undefined && passcode !== code) {
    const description = 'two_factor_passcode and two_factor_code differ'
    throw new AuthUiError('invalid_parameter', { description })
  }
  return token === '' ? undefined : { token, passcode: passcode ?? code ?? '' }
}

const TRUE: ReadonlySet<string> = new Set(['1', 'true', 'on'])

/** Whether a posted field says yes: `1`, `true`, or `on` as a checkbox without value does. */
export function isTrue(value: string): boolean {
  return TRUE.has(value)
}

/** Answers a body that breaks a schema of texts, as {@link readPostedTexts} does. */
export function refuseTexts([fault]: readonly SchemaFault[]): AuthUiError {
  const missing: unknown = fault?.params['missingProperty']
  const name = typeof missing === 'string' ? missing : (fault?.instancePath.slice(1) ?? '')
  return name === '' ? bad('the body', 'an object') : bad(name, 'a text')
}

/** Answers a body that breaks the schema of its route. Nothing is coerced (security.md 17). */
export function refuseBody([fault]: readonly SchemaFault[]): AuthUiError {
  const { instancePath = '', message = '' } = fault ?? {}
  const unknown: unknown = fault?.params['additionalProperty']
  if (typeof unknown === 'string') {
    const name = unknown.slice(0, 100).toWellFormed()
    return new AuthUiError('invalid_parameter', { description: `${name} is unknown` })
  }
  return new AuthUiError('invalid_parameter', {
    description: `${instancePath.slice(1) || 'the body'} ${message}`,
  })
}

/** @throws AuthUiError `invalid_parameter` for a text with lone surrogates */
export function requireWellFormed(body: object): void {
  for (const [name, value] of Object.entries(body)) {
    if (typeof value !== 'string' || value.isWellFormed()) continue
    throw new AuthUiError('invalid_parameter', {
      description: `${name.toWellFormed()} is not well-formed`,
    })
  }
}
