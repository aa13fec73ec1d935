import type { Context } from 'koa'
import type { Instance } from '../instances/instance.ts'

const HSTS = 'max-age=31536000; includeSubDomains'

/** What every answer of an instance carries. @see security.md 4, 5, 9 */
export function baseHeaders(instance: Instance | undefined): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(instance?.isHttps === true ? { 'Strict-Transport-Security': HSTS } : {}),
  }
}

export function setBaseHeaders(ctx: Context, instance: Instance | undefined): void {
  ctx.set(baseHeaders(instance))
}

/** What every answer of an endpoint carries. @see login.md 4.3 */
export function setEndpointHeaders(ctx: Context): void {
  ctx.set('Cache-Control', 'no-store')
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.vary('Cookie')
  ctx.vary('Accept')
}
