import type { RouteContext } from '@svc/platform'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { OnboardingHandlers } from './onboarding.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { AnswerActivation } from '../login/activation.ts'
import { type Arrival } from '../login/arrival.ts'
import { redirect } from '../web/answer.ts'
import type { Redirects } from '../web/redirect-target.ts'

/** What {@link createHome} needs. */
export interface HomeOptions {
  readonly owners: OwnerStore
  readonly checkToken: OnboardingHandlers['checkToken']
  readonly redirects: Redirects
  readonly arrival: Arrival
  readonly carrier: SessionCarrier
  readonly answerActivation: AnswerActivation
}

/** `GET /`: to onboarding, to the log-in, or home. @see login.md 5.1 */
export function createHome(options: HomeOptions): (ctx: RouteContext) => Promise<void> {
  const { owners, checkToken, redirects, arrival, carrier, answerActivation } = options

  return async function showHome(ctx) {
    const { instance, query } = ctx.state
    const owner = (await owners.get(instance.id))?.owner
    if (owner?.onboardedAt === undefined) {
      const token = query.text('registerToken')
      if (token === '') return answerActivation(ctx)
      const isRight = (await checkToken(ctx, token)) !== undefined
      if (!isRight) return answerActivation(ctx, { hasBadToken: true })
      return redirect(ctx, `${instance.origin}/auth/passphrase?${ctx.querystring}`)
    }
    const session = await carrier.current(ctx)
    if (session !== undefined) {
      await carrier.touch(ctx)
      const home = await redirects.home(instance)
      return redirect(ctx, await arrival.locate(ctx, home, session, 'empty'))
    }
    const code = query.get('email_verified_code')
    const search = code === undefined ? '' : `?email_verified_code=${encodeURIComponent(code)}`
    redirect(ctx, `${instance.origin}/auth/login${search}`)
  }
}
