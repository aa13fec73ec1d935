import type { AuthUiServices } from '../services.ts'
import { prefersJson, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'

/**
 * Answers requests for an instance that nobody has onboarded: the page, with 200.
 * @throws AuthUiError `onboarding_needed` for a client that prefers JSON
 * @see login.md 4.8
 */
export async function answerActivation(
  services: AuthUiServices,
  ctx: RouteContext,
  { hasBadToken = false }: { readonly hasBadToken?: boolean } = {},
): Promise<void> {
  // A 200 page would read as success to a program.
  if (prefersJson(ctx)) throw new AuthUiError('onboarding_needed')
  ctx.status = 200
  await services.pages.activationPage(ctx, {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: [],
    hasBadToken,
    canResend: ctx.state.instance.email !== undefined,
  })
}
