import { type Instance, originOfApp, Parameters, type RouteContext } from '@svc/platform'
import type { Context } from 'koa'
import type { AuthUiServices } from '../services.ts'
import { receiveCode } from '../session-code/receive-code.ts'
import { cookieMaxAgeMs, type Session } from '../session/session.ts'
import { redeemTransferCode } from '../session/transfer-code.ts'
import { redirect } from '../web/answer.ts'
import { withoutSessionCode } from '../web/redirect-target.ts'

/** What is asked for on an app's host. */
export interface AppRequest {
  /** A page (the route's index), as opposed to a file it loads. */
  readonly isPage: boolean
  /** The manifest's route is public. */
  readonly isPublic: boolean
}

/** What a page of an app may show; the answer itself is the host's. */
export interface AppVisit {
  readonly session: Session | undefined
  /**
   * Attributes for the page's root element, by name: where the app's server is, and on a private page a fresh token.
   * Values are not escaped.
   */
  readonly attributes: Readonly<Record<string, string>>
}

/** Sessions on app hosts (login.md 9, D29). Runs behind `resolveInstance`, with `ctx.state.appSlug` set. */
export interface AppPages {
  /**
   * What may be shown; undefined when the request is answered already: 302, 401, or 404 for an app that is not there.
   * @throws OAuthError `invalid_request` for a malformed query; what `onLogin` throws at a session code
   */
  visit(ctx: Context, request: AppRequest): Promise<AppVisit | undefined>
}

/** Nested hosts share the cookie of the instance; flat ones take the session over with a code. @see AppPages.visit */
export async function visitApp(
  services: AuthUiServices,
  context: Context,
  request: AppRequest,
): Promise<AppVisit | undefined> {
  const { apps, sessionMiddleware, oauth } = services
  // Behind `resolveInstance` the instance is known; the router's own members are not used here.
  const ctx = context as RouteContext
  const { instance, appSlug = '' } = ctx.state
  const app = await apps.installed(instance, appSlug)
  if (app === undefined) {
    ctx.status = 404
    return undefined
  }
  if (!request.isPublic || request.isPage) ctx.set('Cache-Control', 'no-store')
  if (request.isPage && (await receiveSession(services, ctx, appSlug))) return undefined
  const session = await sessionMiddleware.current(ctx)
  if (session === undefined && !request.isPublic) {
    sendAway(ctx, appSlug, request)
    return undefined
  }
  if (request.isPage) await sessionMiddleware.touch(ctx)
  const needsToken = request.isPage && !request.isPublic && session !== undefined
  const token = needsToken ? await oauth.appTokens.issue(instance, app, session.id) : undefined
  const attributes = attributesOf(services, ctx, appSlug, token)
  if (token === undefined || appSlug !== services.options.homeSlug) return { session, attributes }
  return { session, attributes: { ...attributes, ...(await appsAttribute(services, instance)) } }
}

/**
 * Parts that not every server has, by a path that is mounted where the part is. A page neither shows nor requests the
 * others: the answer for a path that is not mounted has no CORS headers, so the page could not tell it from no answer.
 */
const PARTS = {
  accounts: (namespace: string) => `/data/${namespace}.accounts`,
  activity: () => '/settings/activity',
  konnectors: () => '/konnectors',
  notifications: () => '/notifications',
} satisfies Readonly<Record<string, (namespace: string) => string>>

function partsOf({ oauth, namespace }: AuthUiServices): string {
  return Object.entries(PARTS)
    .filter(([, pathOf]) => oauth.isMounted(pathOf(namespace)))
    .map(([name]) => name)
    .join(' ')
}

function attributesOf(
  services: AuthUiServices,
  { state: { instance } }: RouteContext,
  slug: string,
  token: string | undefined,
): Readonly<Record<string, string>> {
  const { options, namespace } = services
  const { appAttributePrefix: prefix } = options
  return {
    [`${prefix}domain`]: instance.domain,
    [`${prefix}locale`]: instance.locale,
    ...(instance.publicName === undefined ? {} : { [`${prefix}name`]: instance.publicName }),
    [`${prefix}namespace`]: namespace,
    [`${prefix}origin`]: instance.origin,
    [`${prefix}parts`]: partsOf(services),
    [`${prefix}slug`]: slug,
    ...(token === undefined ? {} : { [`${prefix}token`]: token }),
  }
}

/** What the page that owners land on leads to, as JSON: no other app is told which there are. */
async function appsAttribute(
  { apps, options }: AuthUiServices,
  instance: Instance,
): Promise<Readonly<Record<string, string>>> {
  const installed = await apps.listInstalled(instance)
  const shown = installed
    .filter(({ slug }) => slug !== options.homeSlug)
    .map(({ slug, name }) => ({ slug, name }))
  return { [`${options.appAttributePrefix}apps`]: JSON.stringify(shown) }
}

/** Takes a code of the query, of either kind; true when it answered. @see login.md 9.1, 9.2 */
async function receiveSession(
  services: AuthUiServices,
  ctx: RouteContext,
  slug: string,
): Promise<boolean> {
  const code = Parameters.parse(ctx.querystring).get('session_code')
  if (code === undefined || ctx.method !== 'GET') return false
  // SPEC: decision D57 - an invalid code is as if there were none.
  const isGood =
    (await takeOver(services, ctx, slug, code)) ||
    (await receiveCode(services, ctx, code, 'normal'))
  if (isGood) redirect(ctx, addressOf(ctx, slug))
  return isGood
}

/** Takes the session over from the instance's own host. */
async function takeOver(
  services: AuthUiServices,
  ctx: RouteContext,
  slug: string,
  code: string,
): Promise<boolean> {
  const { instance } = ctx.state
  if (instance.subdomains !== 'flat') return false
  const id = await redeemTransferCode(services, instance, slug, code)
  const stored = id === undefined ? undefined : await services.sessions.get(instance, id)
  if (stored === undefined) return false
  const setCookie = await services.cookies.writer(ctx)
  setCookie(stored.session.id, cookieMaxAgeMs(stored.session.kind, services.lifetimes))
  return true
}

function sendAway(ctx: RouteContext, slug: string, { isPage }: AppRequest): void {
  if (!isPage) {
    ctx.status = 401
    ctx.type = 'text/plain; charset=utf-8'
    ctx.body = ''
    return
  }
  const back = encodeURIComponent(addressOf(ctx, slug))
  redirect(ctx, `${ctx.state.instance.origin}/auth/login?redirect=${back}`)
}

/** The request's own address, from the configured names, without a session code. */
function addressOf(ctx: RouteContext, slug: string): string {
  const search = ctx.querystring === '' ? '' : `?${ctx.querystring}`
  return withoutSessionCode(`${originOfApp(ctx.state.instance, slug)}${ctx.path}${search}`)
}
