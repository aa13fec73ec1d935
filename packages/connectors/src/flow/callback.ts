import type { Instance, Parameters, RequestState, RouteContext } from '@svc/platform'
import type { Context } from 'koa'
import { byOwner } from '../accounts/account-activity.ts'
import { isAccountTypeName } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'
import { completeFlow } from './complete-flow.ts'
import { isBoundBrowser } from './flow-cookie.ts'
import { appRedirect } from './flow-outcome.ts'
import {
  answerPrefetch,
  checkQuerySize,
  MAX_ANSWER_QUERY,
  pathParameter,
  redirectTo,
} from './flow-requests.ts'
import {
  type CallbackQuery,
  createTicket,
  type PendingFlow,
  takeState,
  takeTicket,
} from './flow-store.ts'
import { shardTag } from './shards.ts'
import { NO_TYPE } from './usable-type.ts'

const BAD_STATE = 'the OAuth state is missing, unknown, expired or already used'

/** `GET …/redirect` on an instance. @see connectors.md 4.2 */
export async function handleRedirect(
  ctx: RouteContext,
  services: ConnectorsServices,
): Promise<void> {
  if (answerPrefetch(ctx)) return
  const { instance, query } = ctx.state
  const accountType = pathParameter(ctx, 'accountType')
  const flow = await takeFlow(ctx, services, accountType, query, (pending) => {
    return pending.instance === instance.id && isFromBrowser(ctx, pending)
  })
  await finish(ctx, services, instance, flow, new Map(query.entries()))
}

/** `GET …/complete`: the second hop of answers that came to the callback host. @see connectors.md 4.4 */
export async function handleComplete(
  ctx: RouteContext,
  services: ConnectorsServices,
): Promise<void> {
  if (answerPrefetch(ctx)) return
  const { instance, query } = ctx.state
  const accountType = pathParameter(ctx, 'accountType')
  requireTypeName(accountType)
  const ticketed = await takeTicket(services, instance.id, query.text('ticket'), (pending) => {
    return pending.accountType === accountType && isFromBrowser(ctx, pending)
  })
  if (ticketed === undefined) throw await countUnknown(ctx, services)
  await finish(ctx, services, instance, ticketed.flow, ticketed.query)
}

/**
 * `GET …/redirect` on the callback host, where `ctx` is behind nothing.
 * @throws ConnectorError `account_type_not_found` and those of {@link handleRedirect}
 */
export async function handleRedirectOnCallbackHost(
  ctx: Context,
  services: ConnectorsServices,
  accountType: string,
  query: Parameters,
): Promise<void> {
  const flow = await takeFlow(ctx, services, accountType, query)
  const instance = await services.instances.byId(flow.instance)
  if (instance?.status !== 'active') throw badState()
  const answer: CallbackQuery = new Map(query.entries())
  if (flow.binderHash === undefined) {
    await finish(ctx, services, instance, flow, answer)
    return
  }
  const ticket = await createTicket(services, { flow, query: answer })
  redirectTo(ctx, `${instance.origin}/accounts/${accountType}/complete?ticket=${ticket}`)
}

/** SPEC: 4.2, checks 1 to 5. Whatever fails from here on, the state is used up. */
async function takeFlow(
  ctx: Context,
  services: ConnectorsServices,
  accountType: string,
  query: Parameters,
  isHere: (flow: PendingFlow) => boolean = () => true,
): Promise<PendingFlow> {
  const { clock, lifetimes } = services
  checkQuerySize(ctx, MAX_ANSWER_QUERY)
  requireTypeName(accountType)
  const flow = await takeState(services, query.text('state'), (pending) => {
    const isLive = pending.createdAt + lifetimes.state > clock.now()
    return isLive && pending.accountType === accountType && isHere(pending)
  })
  if (flow === undefined) throw await countUnknown(ctx, services)
  return flow
}

/** Counted after the look-up: strangers' guesses keep no state from working at its place (decision 0149). */
async function countUnknown(
  ctx: Context,
  { limits, oauth }: Pick<ConnectorsServices, 'limits' | 'oauth'>,
): Promise<ConnectorError> {
  const address = oauth.clientAddress(ctx)
  await limits.hit({ id: shardTag(address) }, 'account-redirect', address)
  return badState()
}

function requireTypeName(name: string): void {
  if (!isAccountTypeName(name))
    throw new ConnectorError('account_type_not_found', { description: NO_TYPE })
}

/** Check 5. */
function isFromBrowser(ctx: RouteContext, { binderHash }: PendingFlow): boolean {
  return binderHash === undefined || isBoundBrowser(ctx, binderHash)
}

async function finish(
  ctx: Context,
  services: ConnectorsServices,
  instance: Instance,
  flow: PendingFlow,
  query: CallbackQuery,
): Promise<void> {
  // On the callback host no router has filled the state.
  const { requestId } = ctx.state as Partial<RequestState>
  const outcome = await completeFlow(services, {
    instance,
    flow,
    query,
    source: byOwner(ctx, services),
    ...(requestId !== undefined && { requestId }),
  })
  redirectTo(ctx, appRedirect(instance, flow, outcome))
}

function badState(): ConnectorError {
  return new ConnectorError('bad_state', { description: BAD_STATE })
}
