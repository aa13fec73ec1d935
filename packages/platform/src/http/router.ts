import type { Context, Middleware, Next } from 'koa'
import compose from 'koa-compose'
import { storageFull } from '../load/errors.ts'
import type { RateLimits } from '../rate-limits.ts'
import { RequestError } from './request-error.ts'
import { claiming } from './claims.ts'
import { allowPublicClients, isOpenTo, setCorsHeaders, takesPreflight, variesBy } from './cors.ts'
import { setEndpointHeaders } from './headers.ts'
import { Parameters } from './parameters.ts'
import { createBodyReader } from './read-body.ts'
import { type ErrorRendering, renderError } from './render-error.ts'
import type { RouteContext } from './request-state.ts'
import type { CsrfRule, RouteMiddleware, RouteRow } from './route.ts'
import type { RouteAuth } from './route-auth.ts'
import { applySchema } from './route-body.ts'
import { type EnforcedLimit, isEnforced, runWithinLimits } from './route-limit.ts'
import { RouteTable, type RunRoute } from './route-table.ts'

/** What the router needs of its package. */
export interface RouterEnvironment extends ErrorRendering {
  /** Enforces a row's `csrf`. Rows with a rule need it. */
  readonly checkCsrf?: (ctx: Context, rule: CsrfRule) => void
  /** The counters of the package. Rows with a limit that the router keeps need them. */
  readonly limits?: RateLimits<string>
  /** Whether there is little room to store anything in. @defaultValue never */
  readonly isSpaceLow?: () => boolean
  /** Every row that changes something has to say what it notes for the owner. @defaultValue `false` */
  readonly demandsActivity?: boolean
}

const INTERFACE = /^\/(?:auth|settings)(?:\/|$)/

/**
 * One middleware for all rows: canonical paths only, 405 with `Allow`, CORS and preflights, strict bodies, duplicate
 * parameters, the CSRF rule, errors in the row's family. Requests for other paths, and all on an app's host, pass by.
 * @param table - shared with the other mounts of a platform, so that a path is looked up once
 * @throws TypeError when a row has a CSRF rule or a limit that nobody can keep, or does not say what it notes
 * @example
 * app.use(mountRoutes(bindRoutes(greetingRoutes, { greeting: 'Good morning' }), { log }))
 */
export function mountRoutes(
  rows: readonly RouteRow[],
  environment: RouterEnvironment,
  table: RouteTable = new RouteTable(),
): Middleware {
  const byPath = Map.groupBy(rows, (row) => row.path)
  for (const row of rows) checkRow(row, environment)
  const mount = table.declare(
    rows.map((row) => ({ row, run: runRow(row, byPath.get(row.path) ?? [], environment) })),
  )

  function routes(ctx: Context, next: Next): Promise<void> {
    if (ctx.state['instance'] === undefined || ctx.state['appSlug'] !== undefined) return next()
    const found = table.find(ctx.path)
    let isOurs = false
    for (const at of found) {
      if (at.mount !== mount) continue
      isOurs = true
      const known = at.find(ctx.method)
      if (known === undefined) continue
      if (ctx.method === 'HEAD' && known.row.refusesHead === true) break
      if (at.note(ctx)) return known.run(ctx)
      setEndpointHeaders(ctx)
      return renderError(ctx, new RequestError('not_found'), known.row.family, environment)
    }
    if (!isOurs) {
      // SPEC: security.md 6 - whatever answers below these paths, be it the 404 of nobody.
      if (INTERFACE.test(ctx.path)) ctx.set('Cache-Control', 'no-store')
      return next()
    }
    const own = found.filter((at) => at.mount === mount)
    return answerUndeclared(
      ctx as RouteContext,
      own.flatMap((at) => at.rows),
      environment,
    )
  }
  return claiming(routes, { mounts: [mount] })
}

/** @throws TypeError when the router cannot do what the row says */
function checkRow(row: RouteRow, environment: RouterEnvironment): void {
  const { method, path, csrf } = row
  if (csrf !== undefined && environment.checkCsrf === undefined) {
    throw new TypeError(`${method} ${path} has a CSRF rule and nobody checks it`)
  }
  if (enforcedLimits(row).length > 0 && environment.limits === undefined) {
    throw new TypeError(`${method} ${path} has a limit and nobody counts`)
  }
  if (environment.demandsActivity === true && isSilent(row)) {
    throw new TypeError(`${method} ${path} does not say what it notes`)
  }
}

/** SPEC: owner.md 5.1 - a row that changes something names its event, or why it has none. */
function isSilent({ method, activity }: RouteRow): boolean {
  return method !== 'GET' && activity === undefined
}

function runRow(
  row: RouteRow,
  siblings: readonly RouteRow[],
  environment: RouterEnvironment,
): RunRoute {
  const readBody = row.body === undefined ? undefined : createBodyReader(row.body, environment.log)
  const methods = sharedMethods(row, siblings)
  const { auth, cors = 'none' } = row
  const vary = variesBy(cors)
  const run = compose<RouteContext>([
    ...(row.use ?? []),
    ...(typeof auth === 'function' ? [authenticated(auth)] : []),
    finish(row, readBody, environment),
  ] as never[])

  return async function route(context): Promise<void> {
    // Behind `resolveInstance`; the rest of the state is set here.
    const ctx = context as RouteContext
    setEndpointHeaders(ctx, vary)
    setCorsHeaders(ctx, cors, methods)
    ctx.state.route = row
    ctx.state.query = Parameters.empty
    ctx.state.form = Parameters.empty
    try {
      ctx.state.query = Parameters.parseQuery(ctx.querystring)
      await run(ctx)
    } catch (error) {
      await renderError(ctx, error, row.family, environment)
    }
    if (cors === 'public-clients') allowPublicClients(ctx)
    // SPEC: security.md 11 - HEAD sets nothing.
    if (ctx.method === 'HEAD') ctx.remove('Set-Cookie')
  }
}

function finish(
  row: RouteRow,
  readBody: ((ctx: RouteContext) => Promise<void>) | undefined,
  environment: RouterEnvironment,
) {
  const { limits } = environment
  const enforced = enforcedLimits(row)

  return async function handle(ctx: RouteContext): Promise<void> {
    if (row.grows === true && environment.isSpaceLow?.() === true) throw storageFull()
    if (readBody !== undefined) await readBody(ctx)
    // From here on it costs something: with its body here, it takes its place.
    ctx.state.load?.enter()
    // The CSRF rule comes first (oauth.md 2.5), before anything is judged or counted.
    if (row.csrf !== undefined) environment.checkCsrf?.(ctx, row.csrf)
    const duplicate = ctx.state.query.duplicate ?? ctx.state.form.duplicate
    if (duplicate !== undefined) {
      throw new RequestError('invalid_request', { description: 'a parameter is given twice' })
    }
    if (row.isEnforced === true && row.body !== undefined) applySchema(ctx, row.body)
    if (limits === undefined || enforced.length === 0) return row.handler(ctx)
    await runWithinLimits(ctx, enforced, limits, () => row.handler(ctx))
  }
}

/** Before the body: a stranger's is not read. */
function authenticated(auth: RouteAuth): RouteMiddleware {
  return async function authenticate(ctx, next) {
    await auth(ctx, undefined)
    await next()
  }
}

function enforcedLimits({ limit }: RouteRow): readonly EnforcedLimit[] {
  return typeof limit === 'object' ? limit.filter(isEnforced) : []
}

function sharedMethods(row: RouteRow, siblings: readonly RouteRow[]): string[] {
  return siblings.filter((sibling) => sibling.cors === row.cors).map((sibling) => sibling.method)
}

/** A declared path with another method: a preflight where some row answers other origins, else 405. */
async function answerUndeclared(
  ctx: RouteContext,
  rows: readonly RouteRow[],
  environment: RouterEnvironment,
): Promise<void> {
  const asked = ctx.get('Access-Control-Request-Method')
  const open = rows.find((row) => row.method === asked && takesPreflight(row.cors ?? 'none'))
  const isPreflight = ctx.method === 'OPTIONS' && open !== undefined
  setEndpointHeaders(ctx, isPreflight ? variesBy(open.cors ?? 'none') : undefined)
  if (isPreflight) {
    setCorsHeaders(ctx, open.cors ?? 'none', sharedMethods(open, rows))
    ctx.status = 204
    return
  }
  const allow = [
    ...new Set(rows.flatMap((row) => (takesHead(row) ? ['GET', 'HEAD'] : [row.method]))),
  ].sort()
  const error = new RequestError('method_not_allowed', { headers: { Allow: allow.join(', ') } })
  const refuse = (): Promise<void> =>
    renderError(ctx, error, rows[0]?.family ?? 'json', environment)
  const readable = rows.find(({ cors = 'none' }) => isOpenTo(cors))
  if (readable?.cors !== undefined) setCorsHeaders(ctx, readable.cors, [])
  const before = rows.find(({ otherMethods }) => otherMethods !== undefined)?.otherMethods
  await (before === undefined ? refuse() : before(ctx, refuse))
}

function takesHead(row: RouteRow): boolean {
  return row.method === 'GET' && row.refusesHead !== true
}
