import type { RouteContext } from '@svc/oauth-core'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'

/** The owner whose settings a request is about. @throws AuthUiError `forbidden` while there is none */
export async function ownerOf(ctx: RouteContext, owners: OwnerStore): Promise<Owner> {
  const owner = (await owners.get(ctx.state.instance.id))?.owner
  if (owner?.onboardedAt === undefined) throw new AuthUiError('forbidden')
  return owner
}
