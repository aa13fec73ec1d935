import type { AccessContext } from '@svc/oauth-core'
import type {
  ActivityActor,
  ActivityEventName,
  ActivityOrigin,
  ActivityUse,
  Instance,
  RouteContext,
} from '@svc/platform'
import type { Change } from '@svc/store'
import type { Context } from 'koa'
import type { ConnectorsServices } from '../services.ts'
import { type AccountDocument, accountTypeName } from './account.ts'

/** Who did something to an account, and from where. */
export interface AccountSource {
  readonly actor: ActivityActor
  readonly origin?: ActivityOrigin
}

type NotingServices = Pick<ConnectorsServices, 'oauth'>
type NotedAccount = Pick<AccountDocument, '_id' | 'account_type'>

export const BY_SERVER: AccountSource = { actor: { kind: 'server' } }
export const BY_OPERATOR: AccountSource = { actor: { kind: 'operator' } }

/** The owner, whose browser makes the request. */
export function byOwner(ctx: Context, { oauth }: NotingServices): AccountSource {
  return { actor: { kind: 'owner' }, origin: { ip: oauth.clientAddress(ctx) } }
}

/** Whoever the request's token speaks for. */
export function byCaller(ctx: RouteContext, { oauth }: NotingServices): AccountSource {
  return { ...byAccess(ctx.state.access), origin: { ip: oauth.clientAddress(ctx) } }
}

/** Whoever a token speaks for; without one the server itself. */
export function byAccess({ client, konnector, app }: Partial<AccessContext> = {}): AccountSource {
  if (client !== undefined) {
    const { id, metadata, formerName } = client
    const former = formerName === undefined ? {} : { formerName }
    return { actor: { kind: 'client', id, name: metadata.client_name, ...former } }
  }
  if (konnector !== undefined) return { actor: { kind: 'konnector', id: konnector.slug } }
  if (app !== undefined) return { actor: { kind: 'app', id: app.slug, name: app.name } }
  return BY_SERVER
}

/** The changes that note what happened to an account, for the write that does it. */
export function noteAccount(
  { oauth }: NotingServices,
  instance: Instance,
  account: NotedAccount,
  source: AccountSource,
  event: ActivityEventName,
  reason?: string,
): readonly Change[] {
  return oauth.activity.pending(instance, {
    ...source,
    event,
    target: targetOf(account),
    ...(reason !== undefined && { reason }),
  })
}

/** Counts what is too frequent for an entry of its own. */
export function countUse(
  { oauth }: NotingServices,
  instance: Instance,
  account: NotedAccount,
  what: Extract<ActivityUse['what'], 'credentials' | 'refreshes'>,
): void {
  oauth.activity.used(instance, { event: 'account.used', of: targetOf(account), what })
}

/** Names that owners give may be their addresses: the type says what it is. */
function targetOf(account: NotedAccount): ActivityUse['of'] {
  return { kind: 'account', id: account._id, name: accountTypeName(account) }
}
