import type { RouteActivity } from '../activity/activity-events.ts'
import type { RouteContext } from './request-state.ts'
import type { Caller, RouteAuth } from './route-auth.ts'
import type { SchemaRule } from './route-body.ts'
import type { RouteLimit } from './route-limit.ts'

/** Token: `csrf_token` is mandatory. Origin: same-origin requests only, a token is checked when present. @see login.md 4.4 */
export type CsrfRule = 'token' | 'origin'

/**
 * Who may read the answer from another origin (D28).
 * `app-origins`: the instance's own apps, with credentials; `app-origins-or-any`: others too, without credentials;
 * `open`: anybody, without credentials; `resource`: the same, with the headers that clients of a resource use (RFC 9728);
 * `public-clients`: anybody, of answers to requests without `Authorization` and `client_secret`; no preflight is answered.
 */
export type CorsRule =
  | 'none'
  | 'app-origins'
  | 'app-origins-or-any'
  | 'open'
  | 'public-clients'
  | 'resource'

/** How an error is answered; `html-jsonapi`: a page when `Accept` names it, else JSON:API. @see http/render-error.ts */
export type RouteFamily = 'oauth' | 'json' | 'jsonapi' | 'html' | 'html-jsonapi' | 'empty'

/** What a request may carry. `json` admits `application/json` and `application/vnd.api+json`. */
export interface BodyRule extends SchemaRule {
  readonly types: readonly ('form' | 'json')[]
  /** Whether a request without a body or content type is let through. @defaultValue `false` */
  readonly optional?: boolean
  /**
   * What a body is whose content type is not said. Only where no browser can send one for its user: forms always say
   * theirs, scripts need not. @defaultValue answered as another content type
   */
  readonly withoutType?: 'json'
  /** Bytes. @defaultValue `65536` */
  readonly limitBytes?: number
  /**
   * Whether integers beyond 2^53 keep their digits, as `parseExact` of `@svc/store` has them: where what was sent is
   * given back or handed on. @defaultValue `false`: they are rounded
   */
  readonly keepsDigits?: boolean
  /** Answer to another content type. @defaultValue `{ status: 415, code: 'unsupported_media_type' }` */
  readonly wrongType?: {
    readonly status: number
    readonly code: string
    readonly description?: string
  }
}

/**
 * What answers a row, once the router did what the row says. An `HttpError` that it throws is rendered by the family of the
 * row.
 * @see docs/recipes/README.md of the repository
 * @example
 * const hello: RouteHandler = (ctx) => {
 *   ctx.body = { hello: ctx.state.instance.domain }
 * }
 */
export type RouteHandler = (ctx: RouteContext) => Promise<void> | void

/** Named middleware of a row, run in order after CORS and before the CSRF rule. */
export type RouteMiddleware = (ctx: RouteContext, next: () => Promise<void>) => Promise<void>

/**
 * One endpoint. The rows of a package build its router, the HTTP reference, the OpenAPI document and the test that no
 * undeclared status is ever sent.
 */
export interface RouteRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A koa-router path; parameters in camelCase. */
  readonly path: string
  readonly handler: RouteHandler
  /** Who may call: asked before the body is read. */
  readonly auth: RouteAuth | readonly Caller[]
  readonly body?: BodyRule
  /**
   * Every status the row may answer, besides 404 of an unknown host or of a path parameter that is malformed, has control
   * characters or more than 512 characters, 405, 500 and 503. Sorted.
   */
  readonly statuses: readonly number[]
  readonly family: RouteFamily
  /** @defaultValue `none` */
  readonly cors?: CorsRule
  readonly csrf?: CsrfRule
  /** How often: kept by the router, or named where a rule keeps it. */
  readonly limit?: string | readonly RouteLimit[]
  /** Of a route in the new form: its schema is applied. */
  readonly isEnforced?: true
  readonly use?: readonly RouteMiddleware[]
  /** Runs before the 405 of methods that the path does not take, which `next` answers. */
  readonly otherMethods?: RouteMiddleware
  /** HEAD is answered with 405: a GET that uses something up must not be run by who only checks links. */
  readonly refusesHead?: true
  /** What it stores is new and stays: 503 `storage_full` while the server has little room. */
  readonly grows?: true
  /** What it notes for the owner, or why it notes nothing. Rows that change something say it. @see owner.md 5.1 */
  readonly activity?: RouteActivity
  /** One sentence for the reference. */
  readonly summary: string
  /** Section of the specification or RFC. */
  readonly source: string
}

/** Who may call, in words. */
export function callersOf({ auth }: Pick<RouteRow, 'auth'>): readonly Caller[] {
  return typeof auth === 'function' ? auth.callers : auth
}
