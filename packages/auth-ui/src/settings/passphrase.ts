import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { answerResources } from './json-api.ts'

/** `GET /settings/passphrase`: what a client needs to derive the login value. @see login.md 7 */
export function createPassphraseSettings(
  owners: OwnerStore,
  namespace: string,
): (ctx: RouteContext) => Promise<void> {
  return async function showPassphraseSettings(ctx) {
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
      },
    })
  }
}
