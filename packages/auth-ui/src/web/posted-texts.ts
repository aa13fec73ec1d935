import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'

/** Members of a JSON body that are texts. */
export interface PostedTexts {
  /** The member, or undefined when absent or `null`. @throws AuthUiError `invalid_parameter` for anything but text */
  get(name: string): string | undefined
  /** A member that has to be there. @throws AuthUiError `invalid_parameter` */
  demand(name: string): string
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
    demand(name) {
      const value = get(name)
      if (value === undefined) throw bad(name, 'a text')
      return value
    },
  }
}

function bad(name: string, what: string): AuthUiError {
  return new AuthUiError('invalid_parameter', { description: `${name} must be ${what}` })
}
