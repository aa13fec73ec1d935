import { prefersJson, type RouteContext } from '@svc/platform'
import type { Csrf } from '../web/csrf.ts'
import { AuthUiError } from '../errors.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'

/** Answers requests for an instance that nobody has onboarded. @see login.md 4.8 */
export type AnswerActivation = (
  ctx: RouteContext,
  options?: { readonly hasBadToken?: boolean },
) => Promise<void>

/** HTML: the page, with 200. @throws AuthUiError `onboarding_needed` for a client that prefers JSON */
export function createActivation(pages: PageRenderer, csrf: Csrf): AnswerActivation {
  return async function answerActivation(ctx, { hasBadToken = false } = {}) {
    // A 200 page would read as success to a program.
    if (prefersJson(ctx)) throw new AuthUiError('onboarding_needed')
    ctx.status = 200
    await pages.activationPage(ctx, {
      csrfToken: await csrf.token(ctx),
      formActionSources: [],
      hasBadToken,
      canResend: ctx.state.instance.email !== undefined,
    })
  }
}
