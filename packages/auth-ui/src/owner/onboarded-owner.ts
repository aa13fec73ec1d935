import type { RouteContext } from '@svc/platform'
import type { Owner } from './owner.ts'
import type { OwnerStore } from './owner-store.ts'

/** The owner of the request's instance, or undefined while nobody has onboarded it. @see login.md 4.8 */
export async function onboardedOwner(
  owners: OwnerStore,
  ctx: RouteContext,
): Promise<Owner | undefined> {
  const owner = (await owners.get(ctx.state.instance.id))?.owner
  return owner?.onboardedAt === undefined ? undefined : owner
}
