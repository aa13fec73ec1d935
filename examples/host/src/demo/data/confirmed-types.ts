import { AuthUiError, type IsConfirmed } from '@svc/auth-ui'
import type { AccessContext, Verb } from '@svc/oauth-core'
import type { RouteContext } from '@svc/platform'

const WITHOUT: readonly Verb[] = ['POST', 'PUT']

/**
 * Lets a request through to a type whose documents are read and deleted only right after the owner confirmed. A token
 * shows that an app may read; a fresh confirmation shows that its owner is there and wants it now. The code and the state
 * of `/auth/confirm` come as `confirmation_code` and `confirmation_state` in the query, for the app that the owner was
 * sent back to. Writing needs none: nothing is shown by it.
 * @throws AuthUiError `confirmation_required`
 * @see docs/decisions/0104-safe.md
 */
export async function requireConfirmation(
  isConfirmed: IsConfirmed,
  ctx: RouteContext,
  access: AccessContext,
  verb: Verb,
): Promise<void> {
  if (WITHOUT.includes(verb)) return
  const { instance, query } = ctx.state
  const code = query.get('confirmation_code')
  const state = query.get('confirmation_state')
  const slug = access.app?.slug
  const isComplete = code !== undefined && state !== undefined && slug !== undefined
  if (isComplete && (await isConfirmed(instance, { code, state, slug }))) return
  throw new AuthUiError('confirmation_required')
}
