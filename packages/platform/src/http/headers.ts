import type { Context } from 'koa'
import type { Instance } from '../instances/instance.ts'

const HSTS = 'max-age=31536000; includeSubDomains'

/** SPEC: D87 - nested app hosts lie below the name that the instance's passkeys belong to. */
const NO_PASSKEYS = 'publickey-credentials-get=(), publickey-credentials-create=()'

type Fields = readonly (readonly [name: string, value: string])[]

const EVERYWHERE: Fields = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
]
const WITH_HTTPS: Fields = [...EVERYWHERE, ['Strict-Transport-Security', HSTS]]
const ON_APP_HOST: Fields = [['Permissions-Policy', NO_PASSKEYS]]
const NOTHING: Fields = []

/** What every answer of an instance carries, and of an app host. @see security.md 4, 5, 9 */
export function baseHeaders(
  instance: Instance | undefined,
  appSlug?: string,
): Record<string, string> {
  return Object.fromEntries([...ofInstance(instance), ...ofApp(appSlug)])
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
  setFields(ctx, ofInstance(instance))
  setFields(ctx, ofApp(appSlug))
}

function ofInstance(instance: Instance | undefined): Fields {
  return instance?.isHttps === true ? WITH_HTTPS : EVERYWHERE
}

function ofApp(appSlug: string | undefined): Fields {
  return appSlug === undefined ? NOTHING : ON_APP_HOST
}

const OF_ENDPOINTS: Fields = [
  ['Cache-Control', 'no-store'],
  ['Referrer-Policy', 'same-origin'],
]

/**
 * What every answer of an endpoint carries.
 * @param vary - what it differs by beside cookies and the form that is asked for
 * @see login.md 4.3
 * @example
 * setEndpointHeaders(ctx, 'Origin')
 */
export function setEndpointHeaders(ctx: Context, vary?: 'Origin'): void {
  setFields(ctx, OF_ENDPOINTS)
  if (!ctx.res.hasHeader('Vary')) {
    ctx.set('Vary', vary === undefined ? 'Cookie, Accept' : 'Cookie, Accept, Origin')
    return
  }
  ctx.vary('Cookie')
  ctx.vary('Accept')
  if (vary !== undefined) ctx.vary(vary)
}

/** As `ctx.set`, which asks each of them what it is. */
function setFields({ res }: Context, fields: Fields): void {
  if (res.headersSent) return
  for (const [name, value] of fields) res.setHeader(name, value)
}
