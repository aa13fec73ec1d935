import { defineRoute, provedInHandler, type Route, type RouteContext } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { locateTarget } from '../login/complete-login.ts'
import { homeTarget } from '../web/redirect-target.ts'
import { checkRegisterToken } from './onboarding.ts'
import { answerActivation } from '../login/activation.ts'
import { redirect } from '../web/answer.ts'

/** The front door of an instance. */
export const homeRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/',
    handler: showHome,
    auth: provedInHandler(['none', 'session cookie'], 'session/session-middleware.ts'),
    limit: [
      {
        bucket: 'register-guess',
        inRule: 'wrong register tokens of an address; asked in checkRegisterToken',
      },
    ],
    statuses: [200, 302, 400, 412, 429],
    family: 'html',
    summary: 'Leads to onboarding, to the login, or home.',
    source: 'login.md 5.1',
  }),
]

async function showHome(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  const owner = (await services.owners.get(instance.id))?.owner
  if (owner?.onboardedAt === undefined) {
    const token = query.text('registerToken')
    if (token === '') return answerActivation(services, ctx)
    const isRight = (await checkRegisterToken(services, ctx, token)) !== undefined
    if (!isRight) return answerActivation(services, ctx, { hasBadToken: true })
    return redirect(ctx, `${instance.origin}/auth/passphrase?${ctx.querystring}`)
  }
  const session = await services.sessionMiddleware.current(ctx)
  if (session !== undefined) {
    await services.sessionMiddleware.touch(ctx)
    const home = await homeTarget(services, instance)
    return redirect(ctx, await locateTarget(services, ctx, home, session, 'empty'))
  }
  const code = query.get('email_verified_code')
  const search = code === undefined ? '' : `?email_verified_code=${encodeURIComponent(code)}`
  redirect(ctx, `${instance.origin}/auth/login${search}`)
}
