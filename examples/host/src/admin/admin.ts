import { isHttpError } from '@svc/platform'
import { describeError, type Store } from '@svc/store'
import Koa, { type Context, type Next } from 'koa'
import type { HostServices } from '../services.ts'
import type { Config } from '../config/config.ts'
import type { HostEventLog } from '../log/log.ts'
import { AdminError } from './admin-error.ts'
import { auditNamedTokens, requireToken } from './admin-bearer.ts'
import type { AdminToken } from './admin-token.ts'
import { adminRouter } from './admin-routes.ts'
import { NamedTokens } from './named-tokens.ts'

export interface AdminOptions {
  readonly app: HostServices
  readonly config: Config
  readonly token: AdminToken
  readonly store: Store
}

/**
 * The operator's side: a JSON API for the command line, on its own listener on loopback, behind a token of its own.
 * @see architecture.md 5
 */
export function createAdminApp({ app, config, store, token }: AdminOptions): Koa {
  const { log } = app
  const koa = new Koa()
  koa.on('error', (error: Error) => log.error('admin.broken', { cause: describeError(error) }))
  koa.use(auditNamedTokens(log))
  koa.use(answerErrors(log, app))
  const named = new NamedTokens(store, app.oauth.clock)
  koa.use(requireToken(token, named, app.oauth.clock))
  koa.use(adminRouter(app, config, { token, named, log, store }))
  koa.use((ctx) => {
    // Of koa-router: what has the path, whatever its method.
    const matched = (ctx['matched'] ?? []) as readonly { readonly methods: readonly string[] }[]
    const methods = new Set(matched.flatMap((one) => one.methods))
    if (methods.size === 0) throw new AdminError('not_found', 404)
    ctx.set('Allow', [...methods].sort().join(', '))
    throw new AdminError('method_not_allowed', 405)
  })
  return koa
}

function answerErrors(log: HostEventLog, { health }: Pick<HostServices, 'health'>) {
  return async function adminErrors(ctx: Context, next: Next): Promise<void> {
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-Content-Type-Options', 'nosniff')
    try {
      await next()
    } catch (error) {
      const known = toAdminError(error)
      if (known === undefined) {
        log.error('admin.crashed', { cause: describeError(error) })
      }
      const { status, code, message } = known ?? new AdminError('internal_error', 500)
      if (code === 'keys_unavailable') {
        log.error('keys.open_failed', { kid: (error as { readonly kid?: unknown }).kid })
      }
      health.observe({ failure: code })
      ctx.status = status
      ctx.body = { error: message, code }
    }
  }
}

const STATUSES = new Map([
  ['domain_taken', 409],
  ['external_id_taken', 409],
  ['instance_not_found', 404],
  ['instance_busy', 409],
])

function toAdminError(error: unknown): AdminError | undefined {
  if (error instanceof AdminError) return error
  // What was asked for is malformed: the rules say so with a TypeError and a sentence.
  if (error instanceof TypeError) return new AdminError('invalid_request', 400, error.message)
  if (!(error instanceof Error)) return undefined
  const code = String((error as { code?: unknown }).code ?? '')
  const status = STATUSES.get(code)
  if (status !== undefined) return new AdminError(code, status, error.message)
  if (isHttpError(error)) {
    return new AdminError(error.code, error.status, error.description ?? error.message)
  }
  // A body that cannot be read.
  const given = (error as { status?: unknown }).status
  return given === 400 || given === 413 || given === 415
    ? new AdminError('invalid_request', given, 'the body cannot be read')
    : undefined
}
