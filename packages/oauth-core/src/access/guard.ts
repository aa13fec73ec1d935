import type { Context, Middleware, Next } from 'koa'
import { OAuthError } from '../errors.ts'
import { type Logger, renderError } from '@svc/platform'
import { isConceivable } from '../scopes/evaluate.ts'
import { type Verb, VERBS } from '../scopes/permission.ts'
import { isType } from '../scopes/scope.ts'
import type { Access } from './access.ts'
import { insufficientScope } from '../tokens/refusals.ts'

/** What a route needs of its callers. */
export interface GuardRule {
  readonly verb: Verb
  /** A doctype; no wildcard. */
  readonly type: string
}

/** Makes guards for routes of any Koa server behind `resolveInstance`. @see oauth.md 7.2, decision D65 */
export type CreateGuard = (rule: GuardRule) => Middleware

/**
 * @returns a function that makes a guard: it lets a request pass whose token has a rule for the verb and the type,
 * sets `ctx.state.access`, and answers 401 and 403 itself. The handler then asks `access.allows` about documents.
 */
export function createGuard(options: {
  readonly access: Pick<Access, 'authenticate'>
  readonly log: Logger
  /** Types nobody may read or write, whatever the permissions. @defaultValue none */
  readonly reservedTypes?: readonly string[]
}): CreateGuard {
  const { access, log, reservedTypes = [] } = options

  return function guard({ verb, type }): Middleware {
    if (!VERBS.includes(verb)) throw new TypeError(`guard: ${JSON.stringify(verb)} is not a verb`)
    if (!isType(type) || type.endsWith('*')) {
      throw new TypeError(`guard: ${JSON.stringify(type)} is not a type`)
    }

    async function check(ctx: Context): Promise<void> {
      const caller = await access.authenticate(ctx)
      if (reservedTypes.includes(type)) {
        const what = verb === 'GET' ? 'unreadable' : 'unwritable'
        throw new OAuthError('forbidden', { description: `reserved doctype ${type} ${what}` })
      }
      if (!isConceivable(caller.permissions, verb, type)) throw insufficientScope()
      ctx.state['access'] = caller
    }

    return async function requireBearer(ctx: Context, next: Next): Promise<void> {
      try {
        await check(ctx)
      } catch (error) {
        ctx.set('Cache-Control', 'no-store')
        await renderError(ctx, error, 'json', { log })
        return
      }
      await next()
    }
  }
}
