import type {
  Instance,
  Parameters,
  RateLimits,
  RequestState,
  RouteContext,
  RouteHandler,
} from '@svc/platform'
import type { Context } from 'koa'
import { isAccountTypeName } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsBucket } from '../limits.ts'
import type { Conclude } from './complete-flow.ts'
import type { Binder } from './flow-cookie.ts'
import { appRedirect } from './flow-outcome.ts'
import { checkQuerySize, pathParameter, redirectTo } from './flow-requests.ts'
import type { States } from './flow-store.ts'
import type { CallbackQuery, PendingFlow } from './pending-flow.ts'
import { shardTag } from './shards.ts'
import type { Tickets } from './tickets.ts'
import { NO_TYPE } from './usable-type.ts'

export interface CallbackOptions {
  readonly states: States
  readonly tickets: Tickets
  readonly binder: Binder
  readonly conclude: Conclude
  readonly limits: RateLimits<ConnectorsBucket>
  readonly clock: { now(): number }
  /** Of a state. Milliseconds. */
  readonly stateMs: number
  readonly clientAddress: (ctx: Context) => string
  readonly instanceById: (id: PendingFlow['instance']) => Promise<Instance | undefined>
}

export interface CallbackHandlers {
  /** `GET …/redirect` on an instance. */
  readonly redirect: RouteHandler
  /** `GET …/complete`: the second hop of answers that came to the callback host. */
  readonly complete: RouteHandler
  /** `GET …/redirect` on the callback host; `ctx` is behind nothing. @throws ConnectorError `account_type_not_found` and those of {@link CallbackHandlers.redirect} */
  redirectOnCallbackHost(ctx: Context, accountType: string, query: Parameters): Promise<void>
}

const BAD_STATE = 'the OAuth state is missing, unknown, expired or already used'

/** @see connectors.md 4.2, 4.4 */
export function createCallbackHandlers(options: CallbackOptions): CallbackHandlers {
  const { states, tickets, binder, conclude, limits, clock, stateMs } = options

  /** SPEC: 4.2, checks 1 to 3. Whatever fails from here on, the state is used up. */
  async function takeFlow(
    ctx: Context,
    accountType: string,
    query: Parameters,
  ): Promise<PendingFlow> {
    checkQuerySize(ctx)
    demandTypeName(accountType)
    const flow = await states.take(query.text('state'))
    if (flow === undefined) throw await unknown(ctx)
    const isLive = flow.createdAt + stateMs > clock.now()
    if (!isLive || flow.accountType !== accountType) throw badState()
    return flow
  }

  /** Counted after the look-up: strangers' guesses keep no known state from working (decision 0149). */
  async function unknown(ctx: Context): Promise<ConnectorError> {
    const address = options.clientAddress(ctx)
    await limits.hit({ id: shardTag(address) }, 'account-redirect', address)
    return badState()
  }

  /** Check 5. */
  function demandBrowser(ctx: RouteContext, { binderHash }: PendingFlow): void {
    if (binderHash !== undefined && !binder.isBound(ctx, binderHash)) throw badState()
  }

  async function finish(
    ctx: Context,
    instance: Instance,
    flow: PendingFlow,
    query: CallbackQuery,
  ): Promise<void> {
    // On the callback host no router has filled the state.
    const { requestId } = ctx.state as Partial<RequestState>
    const outcome = await conclude({
      ...{ instance, flow, query },
      ...(requestId !== undefined && { requestId }),
    })
    redirectTo(ctx, appRedirect(instance, flow, outcome))
  }

  return {
    async redirect(ctx) {
      const { instance, query } = ctx.state
      const flow = await takeFlow(ctx, pathParameter(ctx, 'accountType'), query)
      if (flow.instance !== instance.id) throw badState()
      demandBrowser(ctx, flow)
      await finish(ctx, instance, flow, new Map(query.entries()))
    },

    async complete(ctx) {
      const { instance, query } = ctx.state
      const accountType = pathParameter(ctx, 'accountType')
      demandTypeName(accountType)
      const ticketed = await tickets.take(instance.id, query.text('ticket'))
      if (ticketed === undefined) throw await unknown(ctx)
      const { flow } = ticketed
      if (flow.accountType !== accountType) throw badState()
      demandBrowser(ctx, flow)
      await finish(ctx, instance, flow, ticketed.query)
    },

    async redirectOnCallbackHost(ctx, accountType, query) {
      const flow = await takeFlow(ctx, accountType, query)
      const instance = await options.instanceById(flow.instance)
      if (instance?.status !== 'active') throw badState()
      const answer: CallbackQuery = new Map(query.entries())
      if (flow.binderHash === undefined) {
        await finish(ctx, instance, flow, answer)
        return
      }
      const ticket = await tickets.create({ flow, query: answer })
      redirectTo(ctx, `${instance.origin}/accounts/${accountType}/complete?ticket=${ticket}`)
    },
  }
}

function demandTypeName(name: string): void {
  if (!isAccountTypeName(name))
    throw new ConnectorError('account_type_not_found', { description: NO_TYPE })
}

function badState(): ConnectorError {
  return new ConnectorError('bad_state', { description: BAD_STATE })
}
