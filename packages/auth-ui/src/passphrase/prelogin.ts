import { anybody, defineRoute, type Route, type RouteContext } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { AuthUiError } from '../errors.ts'
import { answerJson } from '../web/answer.ts'

/** What an app needs to derive the login value. @see login.md 7 */
export const preloginRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/public/prelogin',
    handler: showPrelogin,
    auth: anybody,
    statuses: [200, 400, 412],
    family: 'json',
    summary: 'Tells an app how to derive the login value.',
    source: 'login.md 7',
  }),
]

async function showPrelogin(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  const owner = (await services.owners.get(instance.id))?.owner
  if (owner?.onboardedAt === undefined) throw new AuthUiError('onboarding_needed')
  answerJson(ctx, {
    Kdf: owner.kdf,
    KdfIterations: owner.iterations,
    OIDC: false,
    FranceConnect: false,
    magic_link: false,
    locale: instance.locale,
    name: instance.publicName ?? '',
    salt: owner.salt,
  })
}
