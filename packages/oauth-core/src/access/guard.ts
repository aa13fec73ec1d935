import type { Context, Middleware, Next } from 'koa'
import { OAuthError } from '../errors.ts'
import {
  type ActivityLog,
  type HttpError,
  type Instance,
  isHttpError,
  renderError,
} from '@svc/platform'
import { isConceivable } from '../scopes/evaluate.ts'
import { type Verb, VERBS } from '../scopes/permission.ts'
import { isType } from '../scopes/scope.ts'
import { insufficientScope } from '../tokens/bearer.ts'
import type { AccessContext } from './access-context.ts'
import type { OAuthLog } from '../log/log-events.ts'

/** Statuses from here on say that nothing was done. */
const FIRST_REFUSAL = 400

/** What a route needs of its callers. */
export interface GuardRule {
  readonly verb: Verb
  /** A doctype; no wildcard. */
  readonly type: string
}

export interface GuardOptions {
  /** Who calls. @throws OAuthError `missing_token` or `invalid_token` */
  readonly authenticate: (ctx: Context) => Promise<AccessContext>
  readonly log: OAuthLog
  /** Counts what clients read and change, by kind of data. */
  readonly activity: Pick<ActivityLog, 'used'>
  /** Renders an error for somebody who opened such an address in a browser. @defaultValue JSON for everybody */
  readonly page?: () => ((ctx: Context, error: HttpError) => Promise<void>) | undefined
  /** Types nobody may read or write, whatever the permissions. @defaultValue none */
  readonly reservedTypes?: readonly string[]
}

/**
 * A guard for a route of any Koa server behind `resolveInstance`: it lets a request pass whose token has a rule for the
 * verb and the type, sets `ctx.state.access`, and answers 401 and 403 itself: in JSON, and a browser that opens the
 * address without a token with a page. The handler then asks `access.allows` about documents.
 * @throws TypeError for a rule that no request could satisfy
 * @see oauth.md 7.2, decision D65
 */
export function guardRoute({ verb, type }: GuardRule, options: GuardOptions): Middleware {
  if (!VERBS.includes(verb)) throw new TypeError(`guard: ${JSON.stringify(verb)} is not a verb`)
  if (!isType(type) || type.endsWith('*')) {
    throw new TypeError(`guard: ${JSON.stringify(type)} is not a type`)
  }
  return async function requireBearer(ctx: Context, next: Next): Promise<void> {
    let access: AccessContext
    try {
      access = await requirePermission(ctx, { verb, type }, options)
      ctx.state['access'] = access
    } catch (error) {
      ctx.set('Cache-Control', 'no-store')
      const page = isVisit(ctx, error) ? options.page?.() : undefined
      await renderError(ctx, error, page === undefined ? 'json' : 'html', {
        log: options.log,
        ...(page !== undefined && { page }),
      })
      return
    }
    await next()
    if (ctx.status < FIRST_REFUSAL) noteUse(ctx, access, { verb, type }, options)
  }
}

/** SPEC: owner.md 5.6 - the kind of data, and never which of it. */
function noteUse(
  ctx: Context,
  { client }: AccessContext,
  { verb, type }: GuardRule,
  { activity }: GuardOptions,
): void {
  if (client === undefined) return
  // Set by `resolveInstance`, without which nobody is let pass.
  const instance = ctx.state['instance'] as Instance
  activity.used(instance, {
    event: 'client.used',
    of: { kind: 'client', id: client.id, name: client.metadata.client_name },
    what: verb === 'GET' ? 'reads' : 'changes',
    type,
  })
}

/**
 * Whether a browser opened the address for somebody to look at: nothing that programs send. Everything else keeps the JSON
 * of before.
 * @see owner.md 8.6
 */
function isVisit(ctx: Context, error: unknown): boolean {
  return (
    isHttpError(error) &&
    error.code === 'missing_token' &&
    ctx.get('Sec-Fetch-Mode') === 'navigate' &&
    /\btext\/html\b/i.test(ctx.get('Accept'))
  )
}

async function requirePermission(
  ctx: Context,
  { verb, type }: GuardRule,
  { authenticate, reservedTypes = [] }: GuardOptions,
): Promise<AccessContext> {
  const caller = await authenticate(ctx)
  if (reservedTypes.includes(type)) {
    const what = verb === 'GET' ? 'unreadable' : 'unwritable'
    throw new OAuthError('forbidden', { description: `reserved doctype ${type} ${what}` })
  }
  if (!isConceivable(caller.permissions, verb, type)) throw insufficientScope()
  return caller
}
