import { originOfApp, prefersJson, type RouteContext } from '@svc/platform'
import { type Client, isPublic } from '../clients/client.ts'
import type { AuthorizeRequest } from './authorize-request.ts'

const WEB = /^https?:/i
const OUT_OF_BAND = /^urn:/i
/** Hosts that can stand in a CSP source as they are; anything else is named by its scheme. */
const CSP_ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::[0-9]+)?$/

/** A loopback address up to its port, the port, and the rest. */
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::[0-9]{1,5})?([/?].*)?$/

/**
 * SPEC: D41 - byte equality; RFC 8252 7.3 - programs without a secret listen on any port of their machine, which a
 * registered address cannot know.
 */
export function isRegisteredRedirect(client: Pick<Client, 'metadata'>, uri: string): boolean {
  const { redirect_uris: registered } = client.metadata
  if (registered.includes(uri)) return true
  const asked = isPublic(client) && URL.canParse(uri) ? withoutPort(uri) : undefined
  return asked !== undefined && registered.some((one) => withoutPort(one) === asked)
}

/** Undefined: of no program of this machine. */
function withoutPort(uri: string): string | undefined {
  const [, origin, rest = ''] = LOOPBACK.exec(uri) ?? []
  return origin === undefined ? undefined : `${origin}${rest}`
}

/** Whether the code is shown instead of sent. @see oauth.md 5.7 */
export function isOutOfBand(redirectUri: string): boolean {
  return OUT_OF_BAND.test(redirectUri)
}

/**
 * The `Location` of a granted request: the bytes of the registered URI, the answer, and `#`, which stops the browser
 * from carrying its own fragment along. `access_code` comes first: a deployed client looks for it right behind the `?`.
 * @see decisions D24, D41; clients.md 3, 4, 5, 39
 */
export function grantedLocation(request: AuthorizeRequest, code: string): string {
  const { redirectUri, instance, app } = request
  const fallback = app !== undefined && WEB.test(redirectUri)
  return `${append(redirectUri, [
    ['access_code', code],
    ['code', code],
    ...stateOf(request),
    ...(fallback ? [['fallback', `${originOfApp(instance, app.slug)}/`] as const] : []),
    ['iss', instance.origin],
  ])}#`
}

/** The same for a sharing, which the client is told by its name. @see decision D31 */
export function sharedLocation(request: AuthorizeRequest, code: string, sharingId: string): string {
  const { redirectUri, state, instance } = request
  return `${append(redirectUri, [
    ['access_code', code],
    ['code', code],
    ['state', state],
    ['sharing', sharingId],
    ['iss', instance.origin],
  ])}#`
}

/** Where the link to refuse leads. @see decision D41 */
export function refusedLocation(request: AuthorizeRequest): string {
  return isOutOfBand(request.redirectUri) ? '/' : errorLocation(request, 'access_denied')
}

/** What the redirect of an error is made of. */
type ErrorTarget = Pick<AuthorizeRequest, 'instance' | 'redirectUri' | 'state'>

/** Where a client is told of an error. @see decision D92; RFC 6749 4.1.2.1 */
export function errorLocation(request: ErrorTarget, code: string): string {
  const { redirectUri, instance } = request
  const error = ['error', code] as const
  const context = [...stateOf(request), ['iss', instance.origin]] as const
  // Deployed apps with a scheme of their own look for the error at the very end.
  return append(redirectUri, WEB.test(redirectUri) ? [error, ...context] : [...context, error])
}

/**
 * Whether a fault of a request goes to the redirect URI without a press of the owner: `always` to a program of this
 * machine, `known` to a site that the owner allowed before. Undefined: a fault is never told there.
 * @see decision D92
 */
export function answersByItself(redirectUri: string): 'always' | 'known' | undefined {
  if (LOOPBACK.test(redirectUri)) return 'always'
  return /^https:/i.test(redirectUri) && URL.canParse(redirectUri) ? 'known' : undefined
}

function stateOf({
  state,
}: Pick<AuthorizeRequest, 'state'>): readonly (readonly [string, string])[] {
  return state === '' ? [] : [['state', state]]
}

/**
 * What CSP's `form-action` must name for the final redirect: an origin or a scheme, re-serialised, never the client's
 * text. Undefined when nothing is redirected.
 * @see security.md 8, decision D48
 * @example
 * const source = formActionSource('https://notes.example.org/callback?from=svc') // https://notes.example.org
 */
export function formActionSource(redirectUri: string): string | undefined {
  if (isOutOfBand(redirectUri)) return undefined
  const url = new URL(redirectUri)
  return CSP_ORIGIN.test(url.origin) ? url.origin : url.protocol
}

/**
 * Sends the browser to the client: 302, or 200 `{redirect}` for the script of a page, because browsers apply
 * `form-action` to every hop of a redirect that a form causes. Not `ctx.redirect`: it would parse and write the URI
 * anew, and show the code in a body.
 * @see decision D93
 */
export function leaveTo(ctx: RouteContext, location: string): void {
  if (prefersJson(ctx)) {
    ctx.status = 200
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = JSON.stringify({ redirect: location })
    return
  }
  ctx.status = 302
  ctx.set('Location', location)
  ctx.body = ''
}

/** Puts parameters behind a URI whose bytes stay as they are. */
export function append(uri: string, parameters: readonly (readonly [string, string])[]): string {
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  if (!uri.includes('?')) return `${uri}?${query}`
  return uri.endsWith('?') || uri.endsWith('&') ? `${uri}${query}` : `${uri}&${query}`
}
