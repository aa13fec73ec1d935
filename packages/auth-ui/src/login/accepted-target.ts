import { AuthUiError } from '../errors.ts'
import type { RedirectTarget } from '../web/redirect-target.ts'

/**
 * SPEC: security.md 30 - what an earlier step accepted is not changed by a later one. Published clients name it again.
 * @param accepted - `href` of the earlier step
 * @throws AuthUiError `invalid_parameter`
 */
export function requireSameTarget(again: RedirectTarget | undefined, accepted: string): void {
  if (again === undefined || again.href === accepted) return
  throw new AuthUiError('invalid_parameter', { description: 'redirect differs' })
}

/**
 * Where a log-in of several steps leads; undefined: home. An earlier step that named nothing leaves it to this one.
 * @param again - what this step names
 * @throws AuthUiError `invalid_parameter` when the two differ
 * @see docs/decisions/0215-where-later-steps-lead.md
 */
export async function acceptedTarget(
  accepted: string | undefined,
  again: RedirectTarget | undefined,
  parse: (raw: string) => Promise<RedirectTarget>,
): Promise<RedirectTarget | undefined> {
  if (accepted === undefined) return again
  requireSameTarget(again, accepted)
  try {
    return again ?? (await parse(accepted))
  } catch (error) {
    if (!(error instanceof AuthUiError)) throw error
    // It was valid in the earlier step: an app removed meanwhile must not shut the owner out.
    return undefined
  }
}
