import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { FreshConfirmation } from '../confirm/fresh-confirmation.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { ConfirmedBody } from './factors.schema.ts'

/** The owner whose settings a request is about. @throws AuthUiError `forbidden` while there is none */
export async function ownerOf(ctx: RouteContext, owners: OwnerStore): Promise<Owner> {
  const owner = (await owners.get(ctx.state.instance.id))?.owner
  if (owner?.onboardedAt === undefined) throw new AuthUiError('forbidden')
  return owner
}

/**
 * The same, who confirmed a moment ago. @see security.md 37
 * @throws AuthUiError `forbidden`, `confirmation_required`
 */
export async function confirmedOwner(
  ctx: RouteContext,
  body: ConfirmedBody,
  options: { readonly owners: OwnerStore; readonly freshConfirmation: FreshConfirmation },
): Promise<Owner> {
  const { confirmation_code: code = '', confirmation_state: state = '' } = body
  const owner = await ownerOf(ctx, options.owners)
  await options.freshConfirmation.demand(ctx.state.instance, owner, { code, state })
  return owner
}
