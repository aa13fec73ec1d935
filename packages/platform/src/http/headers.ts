import type { Context } from 'koa'
import type { Instance } from '../instances/instance.ts'

const HSTS = 'max-age=31536000; includeSubDomains'

/** SPEC: D87 - nested app hosts lie below the name that the instance's passkeys belong to. */
const NO_PASSKEYS = 'publickey-credentials-get=(), publickey-credentials-create=()'

/** What every answer of an instance carries, and of an app host. @see security.md 4, 5, 9 */
export function baseHeaders(
  instance: Instance | undefined,
  appSlug?: string,
): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(instance?.isHttps === true ? { 'Strict-Transport-Security': HSTS } : {}),
    ...(appSlug === undefined ? {} : { 'Permissions-Policy': NO_PASSKEYS }),
  }
}

/**
 * Sets the headers that every answer has.
 * @param instance - absent: the host is none of an instance
 * @param appSlug - of the app whose host was asked
 * @example
 * setBaseHeaders(ctx, instance)
 */
export function setBaseHeaders(
  ctx: Context,
  instance: Instance | undefined,
  appSlug?: string,
): void {
  ctx.set(baseHeaders(instance, appSlug))
}

/** What every answer of an endpoint carries. @see login.md 4.3 */
export function setEndpointHeaders(ctx: Context): void {
  ctx.set('Cache-Control', 'no-store')
  ctx.set('Referrer-Policy', 'same-origin')
  if (!ctx.res.hasHeader('Vary')) {
    ctx.set('Vary', 'Cookie, Accept')
    return
  }
  ctx.vary('Cookie')
  ctx.vary('Accept')
}
