import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'
import { requirePermission } from '../web/caller.ts'
import { answerResources } from './json-api.ts'

/** What a client needs to derive the login value. @see login.md 7 */
export const derivationRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/passphrase',
    handler: showDerivation,
    auth: requirePermission('GET', 'settings'),
    statuses: [200, 400, 401, 403, 404],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Tells how the login value is derived.',
    source: 'login.md 7',
  }),
]

async function showDerivation(
  ctx: RouteContext,
  { owners, namespace }: AuthUiServices,
): Promise<void> {
  const owner = (await owners.get(ctx.state.instance.id))?.owner
  if (owner === undefined) throw new AuthUiError('not_found')
  answerResources(ctx, {
    type: `${namespace}.settings`,
    id: `${namespace}.settings.passphrase`,
    attributes: {
      salt: owner.salt,
      kdf: owner.kdf,
      iterations: owner.iterations,
      // Said only then: such an owner chooses a first one (`force`) rather than giving the old one.
      ...(owner.passwordDefined === false && { password_defined: false }),
      // Said only then, too: whoever shows both need not ask for a hint that is absent.
      ...(owner.hint !== undefined && { hint_defined: true }),
    },
  })
}
