import { compiledSchema } from '@svc/platform'
import { AuthUiError } from '../errors.ts'

/** Members of a JSON body that has its schema's form. A `Map`, so that `__proto__` is a name like any other. */
export type ReadMembers = (json: unknown) => ReadonlyMap<string, unknown>

/**
 * Nothing is coerced (security.md 17). Lone surrogates are refused.
 * @returns a reader that throws AuthUiError `invalid_parameter`
 */
export function createMembersReader(schema: Readonly<Record<string, unknown>>): ReadMembers {
  return function readMembers(json) {
    const isBody = compiledSchema(schema, { allowUnionTypes: true })
    if (!isBody(json)) {
      const { instancePath = '', message = '' } = isBody.errors?.[0] ?? {}
      throw invalid(`${instancePath.slice(1) || 'the body'} ${message}`)
    }
    // The schema says that it is an object.
    const members = new Map<string, unknown>(Object.entries(json as object))
    for (const [name, value] of members) {
      if (typeof value === 'string' && !value.isWellFormed()) {
        throw invalid(`${name.toWellFormed()} is not well-formed`)
      }
    }
    return members
  }
}

function invalid(description: string): AuthUiError {
  return new AuthUiError('invalid_parameter', { description })
}
