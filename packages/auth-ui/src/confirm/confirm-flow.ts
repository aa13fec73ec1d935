import type { RouteContext } from '@svc/platform'
import type { Owner } from '../owner/owner.ts'

/** The end of a confirmation, reached from `POST /auth/confirm` or from its second step. @see login.md 6.2 */
export interface ConfirmFlow {
  /** Stores the code, tells the apps, then answers 302 or 200 `{ redirect }` with `state` and `code`. */
  finish(
    ctx: RouteContext,
    owner: Owner,
    confirmed: { readonly state: string; readonly redirect: string | undefined },
  ): Promise<void>
}
