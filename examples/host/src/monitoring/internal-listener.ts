import { equalSecrets, type Instances, parseAppHost } from '@svc/platform'
import { describeError } from '@svc/store'
import Koa, { type Context } from 'koa'
import type { HostApps } from '../apps/registry.ts'
import type { Config } from '../config/config.ts'
import type { HostLog } from '../log/log.ts'
import type { Health } from './health.ts'
import type { Metrics } from './metrics.ts'

export interface InternalOptions {
  readonly config: Pick<Config, 'metricsToken' | 'subdomains'>
  readonly instances: Pick<Instances, 'byHost'>
  readonly apps: Pick<HostApps, 'installed'>
  readonly health: Health
  readonly metrics: Metrics
  readonly log: Pick<HostLog, 'error'>
}

/**
 * What monitoring and proxies ask, on a listener of its own: `/metrics`, `/health/*`, and for which hosts a certificate
 * may be had. @see docs/decisions/0318-the-internal-listener-tells-no-more-than-its-askers-need.md
 */
export function createInternalApp(options: InternalOptions): Koa {
  const { config, health, metrics, log } = options
  const koa = new Koa()
  koa.on('error', (error: Error) => log.error('internal.broken', { cause: describeError(error) }))
  koa.use(async (ctx, next) => {
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-Content-Type-Options', 'nosniff')
    await next()
  })
  koa.use(health.middleware)
  koa.use(async (ctx) => {
    if (ctx.method !== 'GET') {
      ctx.status = 405
      ctx.set('Allow', 'GET')
    } else if (ctx.path === '/metrics') {
      await showMetrics(ctx, metrics, config.metricsToken)
    } else if (ctx.path === '/tls/ask') {
      ctx.body = ''
      ctx.status = (await isServed(options, String(ctx.query['domain'] ?? ''))) ? 200 : 404
    } else {
      ctx.status = 404
    }
  })
  return koa
}

async function showMetrics(
  ctx: Context,
  metrics: Metrics,
  token: string | undefined,
): Promise<void> {
  const [, given = ''] = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(ctx.get('Authorization')) ?? []
  if (token !== undefined && !equalSecrets(given, token)) {
    ctx.status = 401
    ctx.set('WWW-Authenticate', 'Bearer')
    return
  }
  const { type, text } = await metrics.render()
  ctx.type = type
  ctx.body = text
}

/** Whether a host is that of a live instance, one of its aliases, or one of its installed apps. */
async function isServed(
  { config, instances, apps }: InternalOptions,
  domain: string,
): Promise<boolean> {
  const host = domain.toLowerCase()
  const direct = await instances.byHost(host)
  if (direct !== undefined) return direct.status === 'active'
  const app = parseAppHost(host, config.subdomains)
  const owner = app === undefined ? undefined : await instances.byHost(app.domain)
  if (app === undefined || owner?.status !== 'active') return false
  return (await apps.installed(owner, app.slug)) !== undefined
}
