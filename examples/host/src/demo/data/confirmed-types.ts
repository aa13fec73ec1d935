import { AuthUiError, type IsConfirmed } from '@svc/auth-ui'
import type { AccessContext, Verb } from '@svc/oauth-core'
import type { RouteContext } from '@svc/platform'

/** Lets a request through to a type, or not. */
export type DemandConfirmation = (
  ctx: RouteContext,
  access: AccessContext,
  verb: Verb,
) => Promise<void>

export interface ConfirmedTypesOptions {
  /** Doctypes whose documents are read and deleted only right after the owner confirmed. */
  readonly types: readonly string[]
  readonly isConfirmed: IsConfirmed
}

/** Types that want more than a token. */
export interface ConfirmedTypes {
  has(type: string): boolean
  /** @throws AuthUiError `confirmation_required` */
  readonly demand: DemandConfirmation
}

const WITHOUT: readonly Verb[] = ['POST', 'PUT']

/**
 * A token shows that an app may read; a fresh confirmation shows that its owner is there and wants it now. The code and
 * the state of `/auth/confirm` come as `confirmation_code` and `confirmation_state` in the query, for the app that the
 * owner was sent back to. Writing needs none: nothing is shown by it.
 * @see docs/decisions/0104-safe.md
 */
export function createConfirmedTypes({
  types,
  isConfirmed,
}: ConfirmedTypesOptions): ConfirmedTypes {
  const known = new Set(types)
  return {
    has: (type) => known.has(type),
    async demand(ctx, access, verb) {
      if (WITHOUT.includes(verb)) return
      const { instance, query } = ctx.state
      const code = query.get('confirmation_code')
      const state = query.get('confirmation_state')
      const slug = access.app?.slug
      const isComplete = code !== undefined && state !== undefined && slug !== undefined
      if (isComplete && (await isConfirmed(instance, { code, state, slug }))) return
      throw new AuthUiError('confirmation_required')
    },
  }
}

/** Of an instance without such types. */
export const NO_CONFIRMED_TYPES: ConfirmedTypes = {
  has: () => false,
  demand: async () => {},
}
