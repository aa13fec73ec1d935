import type { RouteContext } from '@svc/platform'
import { type Confirmation, requireFreshConfirmation } from '../confirm/confirmation.ts'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import type { ConfirmedBody } from './factors.schema.ts'

type ConfirmingServices = Pick<
  AuthUiServices,
  'clock' | 'lifetimes' | 'options' | 'owners' | 'sessionMiddleware' | 'store'
>

/** The owner whose settings a request is about. @throws AuthUiError `forbidden` while there is none */
export async function ownerOf(
  { owners }: Pick<AuthUiServices, 'owners'>,
  ctx: RouteContext,
): Promise<Owner> {
  const owner = (await owners.get(ctx.state.instance.id))?.owner
  if (owner?.onboardedAt === undefined) throw new AuthUiError('forbidden')
  return owner
}

/**
 * A session that a mailed link opened in another browser changes no credential, whatever comes along (D96).
 * @throws AuthUiError `confirmation_required`: on the way to confirm, the owner logs in
 */
export async function requireFullSession(
  { sessionMiddleware }: Pick<AuthUiServices, 'sessionMiddleware'>,
  ctx: RouteContext,
): Promise<void> {
  const session = await sessionMiddleware.current(ctx)
  if (session?.isElsewhere === true) throw new AuthUiError('confirmation_required')
}

/**
 * The same, who confirmed a moment ago. @see security.md 37
 * @throws AuthUiError `forbidden`, `confirmation_required`
 */
export async function confirmedOwner(
  services: ConfirmingServices,
  ctx: RouteContext<ConfirmedBody | null>,
): Promise<Owner> {
  return (await confirmationOf(services, ctx)).owner
}

/** The same, with what was confirmed. @throws AuthUiError `forbidden`, `confirmation_required` */
export async function confirmationOf(
  services: ConfirmingServices,
  ctx: RouteContext<ConfirmedBody | null>,
): Promise<{ readonly owner: Owner; readonly confirmation: Confirmation }> {
  const { confirmation_code: code = '', confirmation_state: state = '' } = ctx.state.body ?? {}
  await requireFullSession(services, ctx)
  const owner = await ownerOf(services, ctx)
  const presented = { code, state }
  const { instance } = ctx.state
  return {
    owner,
    confirmation: await requireFreshConfirmation(services, instance, owner, presented),
  }
}

/** The `:id` of the route's path. */
export function idOf(ctx: RouteContext): string {
  return String((ctx as { params?: { id?: unknown } }).params?.id)
}
