import type { RouteContext } from '@svc/platform'
import type { Challenge } from '../factors/challenge.ts'
import type { Owner } from '../owner/owner.ts'
import type { FormProblem } from '../pages/page-models.ts'

/** How a request that passed its first step asks for the second one. @see login.md 5.1, 6.2 */
export interface SecondStep {
  /**
   * JSON: 200 `{ two_factor_token, redirect }`, `redirect` being the page of the second step; HTML: that page. The
   * status is the caller's when there is a problem.
   */
  ask(ctx: RouteContext, owner: Owner, challenge: Challenge, problem?: FormProblem): Promise<void>
}
