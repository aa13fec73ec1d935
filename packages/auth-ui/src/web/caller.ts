import { type AccessContext, insufficientScope, type Verb } from '@svc/oauth-core'
import { requirement, type RouteAuth, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'

/** Refuses with the guard's 401 for no token, with 403 `forbidden` for one of anybody else: no scope would do. */
export const requireSettingsApp: RouteAuth<Pick<AuthUiServices, 'oauth' | 'options'>> = requirement(
  ['settings app token'],
  async function requireSettingsApp(
    ctx: RouteContext,
    { oauth, options }: Pick<AuthUiServices, 'oauth' | 'options'>,
  ) {
    await oauth.authenticate(ctx)
    const { kind, app } = accessOf(ctx)
    if (kind !== 'app' || app?.slug !== options.settingsSlug) throw new AuthUiError('forbidden')
  },
)

/**
 * The settings app, or the app that owners land on, where its manifest says that it reads the check-up. Refuses as
 * {@link requireSettingsApp} does. @see owner.md 4.4, 8.4
 */
export const requireCheckupReader: RouteAuth<
  Pick<AuthUiServices, 'namespace' | 'oauth' | 'options'>
> = requirement(
  ['settings app token', 'app token'],
  async function requireCheckupReader(
    ctx: RouteContext,
    { namespace, oauth, options }: Pick<AuthUiServices, 'namespace' | 'oauth' | 'options'>,
  ) {
    await oauth.authenticate(ctx)
    const access = accessOf(ctx)
    const slug = access.kind === 'app' ? access.app?.slug : undefined
    const mayRead =
      slug === options.settingsSlug ||
      (slug === options.homeSlug && access.allows('GET', `${namespace}.checkup`))
    if (slug === undefined || !mayRead) throw new AuthUiError('forbidden')
  },
)

/**
 * Any bearer with the permission on a whole doctype. Refuses with the guard's 401, or 403 `insufficient_scope`.
 * @param name - of the doctype below the namespace, such as `sessions`
 */
export function requirePermission(
  verb: Verb,
  name: string,
): RouteAuth<Pick<AuthUiServices, 'namespace' | 'oauth'>> {
  return requirement(
    ['app token', 'access token'],
    async function requirePermission(
      ctx: RouteContext,
      { oauth, namespace }: Pick<AuthUiServices, 'namespace' | 'oauth'>,
    ) {
      await oauth.authenticate(ctx)
      if (!accessOf(ctx).allows(verb, `${namespace}.${name}`)) throw insufficientScope()
    },
  )
}

function accessOf(ctx: RouteContext): AccessContext {
  if (ctx.state.access === undefined) throw new Error('authenticate did not set ctx.state.access')
  return ctx.state.access
}
