import { formActionSource } from '@svc/oauth-core'
import { prefersJson, type RouteContext } from '@svc/platform'
import type { Csrf } from '../web/csrf.ts'
import type { Passkeys } from '../factors/bound.ts'
import type { Challenge } from '../factors/challenge.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import { answerJson } from '../web/answer.ts'
import type { Redirects } from '../web/redirect-target.ts'
import { restartHref } from './restart-href.ts'
import type { SecondStep } from './second-step.ts'

/** What {@link createSecondStep} needs. */
export interface SecondStepOptions {
  readonly pages: PageRenderer
  readonly csrf: Csrf
  readonly redirects: Redirects
  readonly passkeys: Passkeys
  readonly clock: { now(): number }
}

const AUTHORIZE_PATH = '/auth/authorize'

/** One answer for every first step that has a second one. */
export function createSecondStep(options: SecondStepOptions): SecondStep {
  const { pages, csrf, redirects, passkeys, clock } = options

  return {
    async ask(ctx, owner, challenge, problem) {
      const { instance } = ctx.state
      const { token, purpose, factors, expiresAt } = challenge
      if (prefersJson(ctx) && problem === undefined) {
        const redirect = `${instance.origin}/auth/twofactor?two_factor_token=${token}`
        return answerJson(ctx, { two_factor_token: token, redirect })
      }
      const passkeyOptions = await passkeys.requestOptions(instance, owner, token)
      await pages.passcodePage(ctx, {
        csrfToken: await csrf.token(ctx),
        formActionSources: await sourcesOf(ctx, challenge),
        token,
        purpose,
        factors,
        offersTrust: offersTrust(challenge),
        expiresAt,
        now: clock.now(),
        restartHref: restartHref(challenge),
        ...(passkeyOptions === undefined ? {} : { passkeyOptions }),
        ...(problem === undefined ? {} : { problem }),
      })
    },
  }

  /** The form ends in a redirect to where step 1 was asked to lead, which may be a host of the operator's list. */
  async function sourcesOf(
    ctx: RouteContext,
    { purpose, redirect }: Challenge,
  ): Promise<readonly string[]> {
    const { instance } = ctx.state
    if (purpose === 'move') {
      const source = formActionSource(redirect ?? '')
      return source === undefined ? [] : [source]
    }
    const { origin } = redirect === undefined ? await redirects.home(instance) : new URL(redirect)
    return origin === instance.origin ? [] : [origin]
  }
}

/** A browser can be trusted by a log-in, but not by the passing session of an authorization. @see login.md 5.1 */
function offersTrust({ purpose, redirect }: Challenge): boolean {
  if (purpose !== 'login') return false
  return redirect === undefined || new URL(redirect).pathname !== AUTHORIZE_PATH
}
