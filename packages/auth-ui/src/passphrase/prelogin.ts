import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { answerJson } from '../web/answer.ts'
import type { OwnerStore } from '../owner/owner-store.ts'

/** `GET /public/prelogin`: what an app needs to derive the login value. @see login.md 7 */
export function createPrelogin(owners: OwnerStore): (ctx: RouteContext) => Promise<void> {
  return async function showPrelogin(ctx) {
    const { instance } = ctx.state
    const owner = (await owners.get(instance.id))?.owner
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
}
