import type { Context, Middleware, Next } from 'koa'
import { OAuthError } from '../errors.ts'
import {
  type ActivityLog,
  type HttpError,
  type Instance,
  isHttpError,
  renderError,
  type RouteRow,
} from '@svc/platform'
import { isConceivable } from '../scopes/evaluate.ts'
import { type Verb, VERBS } from '../scopes/permission.ts'
import { isType } from '../scopes/scope.ts'
import { insufficientScope } from '../tokens/bearer.ts'
import type { AccessContext } from './access-context.ts'
import type { OAuthLog } from '../log/log-events.ts'
import { clientTarget } from '../clients/client.ts'

/** Statuses from here on say that nothing was done. */
export const FIRST_REFUSAL = 400

/** What a route needs of its callers. */
export interface GuardRule {
  readonly verb: Verb
  /** A doctype; no wildcard. */
  readonly type: string
}

export interface GuardOptions {
  /** Who calls. @throws OAuthError `missing_token` or `invalid_token` */
  readonly authenticate: (ctx: Context) => AccessContext | Promise<AccessContext>
  readonly log: OAuthLog
  /** Counts what clients read and change, by kind of data. */
  readonly activity: Pick<ActivityLog, 'used'>
  /** Renders an error for somebody who opened such an address in a browser. @defaultValue JSON for everybody */
  readonly page?: () => ((ctx: Context, error: HttpError) => Promise<void>) | undefined
  /** Types nobody may read or write, whatever the permissions. @defaultValue none */
  readonly reservedTypes?: readonly string[]
}

/** The check of one rule, for whatever framework has the route. */
export interface Guard {
  /** Who calls; undefined when the context has the refusal. Sets `ctx.state.access`. Never throws. */
  check(ctx: Context): AccessContext | undefined | Promise<AccessContext | undefined>
  /** Counts what was done with the permission. */
  noteUse(instance: Instance, access: AccessContext): void
}

/**
 * The check behind every guard: a token has a rule for the verb and the type, or is refused with 401 and 403: in the family
 * of the row, elsewhere in JSON, and to a browser that opens the address without a token with a page.
 * @param rule - absent: anybody with a token
 * @throws TypeError for a rule that no request could satisfy
 * @see oauth.md 7.2, decisions D65 and D79
 */
export function createGuard(rule: GuardRule | undefined, options: GuardOptions): Guard {
  if (rule !== undefined) checkRule(rule)

  function admit(ctx: Context, caller: AccessContext): AccessContext {
    if (rule !== undefined) checkPermission(caller, rule, options)
    ctx.state['access'] = caller
    return caller
  }

  async function refuse(ctx: Context, error: unknown): Promise<undefined> {
    ctx.set('Cache-Control', 'no-store')
    const page = isVisit(ctx, error) ? options.page?.() : undefined
    // Of one of our rows; other servers' routes have none.
    const { family = 'json' } = (ctx.state['route'] as Partial<RouteRow> | undefined) ?? {}
    await renderError(ctx, error, page === undefined ? family : 'html', {
      log: options.log,
      ...(page !== undefined && { page }),
    })
  }

  return {
    check(ctx) {
      try {
        const caller = options.authenticate(ctx)
        if (!(caller instanceof Promise)) return admit(ctx, caller)
        return caller
          .then((found) => admit(ctx, found))
          .catch((error: unknown) => refuse(ctx, error))
      } catch (error) {
        return refuse(ctx, error)
      }
    },
    noteUse(instance, access) {
      if (rule !== undefined) noteUse(instance, access, rule, options)
    },
  }
}

/**
 * A guard for a route of any Koa server behind `resolveInstance`: it lets a request pass whose token has a rule for the
 * verb and the type, sets `ctx.state.access`, and answers 401 and 403 itself. The handler then asks `access.allows` about
 * documents.
 * @throws TypeError for a rule that no request could satisfy
 * @see createGuard
 */
export function guardRoute(rule: GuardRule, options: GuardOptions): Middleware {
  const guard = createGuard(rule, options)
  return async function requireBearer(ctx: Context, next: Next): Promise<void> {
    const checking = guard.check(ctx)
    const access = checking instanceof Promise ? await checking : checking
    if (access === undefined) return
    await next()
    if (ctx.status >= FIRST_REFUSAL) return
    // Set by `resolveInstance`, without which nobody is let pass.
    guard.noteUse(ctx.state['instance'] as Instance, access)
  }
}

function checkRule({ verb, type }: GuardRule): void {
  if (!VERBS.includes(verb)) throw new TypeError(`guard: ${JSON.stringify(verb)} is not a verb`)
  if (!isType(type) || type.endsWith('*')) {
    throw new TypeError(`guard: ${JSON.stringify(type)} is not a type`)
  }
}

/** SPEC: owner.md 5.6 - the kind of data, and never which of it. */
function noteUse(
  instance: Instance,
  { client }: AccessContext,
  { verb, type }: GuardRule,
  { activity }: GuardOptions,
): void {
  if (client === undefined) return
  activity.used(instance, {
    event: 'client.used',
    of: clientTarget(client),
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

/** @throws OAuthError `forbidden` or `insufficient_scope` */
function checkPermission(
  { permissions }: AccessContext,
  { verb, type }: GuardRule,
  { reservedTypes = [] }: GuardOptions,
): void {
  if (reservedTypes.includes(type)) {
    const what = verb === 'GET' ? 'unreadable' : 'unwritable'
    throw new OAuthError('forbidden', { description: `reserved doctype ${type} ${what}` })
  }
  if (!isConceivable(permissions, verb, type)) throw insufficientScope()
}
