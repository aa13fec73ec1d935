import type { Context } from 'koa'
import { AdminError } from './admin-error.ts'

/**
 * Whether a parameter of the query asks for something.
 * @returns true for `true`, false for `false` and without it
 * @throws AdminError `invalid_request`: a try that is misspelt must never become the real thing
 */
export function isAsked(ctx: Context, name: string): boolean {
  const given = ctx.query[name]
  if (given === undefined || given === 'false') return false
  if (given === 'true') return true
  throw new AdminError('invalid_request', 400, `${name} is neither true nor false`)
}
