import { DAY_MS, type Instance, type InstanceId, type Instances, type Logger } from '@svc/platform'
import type { Scheduler } from '@svc/store'
import type { AccountTypes } from '../account-types/account-type.ts'
import { accountTypeName } from './account.ts'
import { ConnectorError } from '../connector-error.ts'
import type { AccountLoader } from './account-loader.ts'
import { nextRefresh, type RefreshAhead } from './next-refresh.ts'
import type { Refresher } from './refresh-account.ts'
import { REFRESH_QUEUE, type RefreshPlan } from './refresh-plan.ts'

/** Replaces tokens before they end. @see connectors.md 8.7 */
export interface AutoRefresh {
  start(): Promise<void>
  /** After those under way. */
  stop(): Promise<void>
}

/**
 * Accounts of one type that are refreshed at a time, of the 16 wake-ups that a process handles: a provider that hangs
 * must not hold up those of all others.
 */
const TYPE_AT_A_TIME = 5
/** How much later the others of the type come, at least and at most. Milliseconds. */
const SOONEST_MS = 10_000
const LATEST_MS = 30_000

export function createAutoRefresh(options: {
  readonly scheduler: Scheduler
  readonly clock: { now(): number }
  readonly instances: Pick<Instances, 'byId'>
  readonly types: Pick<AccountTypes, 'get'>
  readonly loader: AccountLoader
  readonly plan: RefreshPlan
  readonly refresher: Refresher
  readonly lifetimes?: RefreshAhead
  readonly log: Logger
}): AutoRefresh {
  const { scheduler, clock, instances, types, loader, plan, refresher, lifetimes, log } = options
  let stopProcessing: (() => Promise<void>) | undefined
  /** Refreshes under way here, by id of the type. */
  const underWay = new Map<string, number>()

  /** Wake-ups are never the last word: what is due follows from the account as it is now. */
  async function wakeUp({ id }: { readonly id: string }): Promise<void> {
    const slash = id.indexOf('/')
    const accountId = id.slice(slash + 1)
    const instance = await instances.byId(id.slice(0, slash) as InstanceId) // As `wakeUpId` wrote it.
    if (instance === undefined || instance.status === 'deleting') return
    const loaded = await loader.load(instance, accountId)
    if (loaded === undefined) return
    const type = await types.get(accountTypeName(loaded.account), instance.context)
    if (instance.status !== 'active' || type === undefined || type.fault !== undefined) {
      return postpone(instance, id)
    }
    const when = nextRefresh(loaded.account, type, loaded.state, lifetimes)
    if (when === undefined) return
    if (when > clock.now()) return plan.plan(instance, loaded, type)
    const others = underWay.get(type.id) ?? 0
    if (others >= TYPE_AT_A_TIME) return scheduler.at(REFRESH_QUEUE, id, inAMoment())
    underWay.set(type.id, others + 1)
    try {
      await refresher.refresh({ instance, type, loaded })
    } catch (error) {
      // What the provider says is in the account by now, and the next try planned.
      if (!ConnectorError.is(error) || error.code === 'oauth_refresh_in_progress') throw error
      log.info('account.refresh_postponed', {
        instance: instance.domain,
        accountId,
        code: error.code,
      })
    } finally {
      const left = (underWay.get(type.id) ?? 1) - 1
      if (left === 0) underWay.delete(type.id)
      else underWay.set(type.id, left)
    }
  }

  /** Not all at the same one. */
  function inAMoment(): number {
    return Math.round(clock.now() + SOONEST_MS + Math.random() * (LATEST_MS - SOONEST_MS))
  }

  /** Until the operator lets the instance, or the type, be used again. One wake-up a day, however many ask for it. */
  function postpone(instance: Instance, id: string): Promise<void> {
    const tomorrow = (Math.floor(clock.now() / DAY_MS) + 1) * DAY_MS
    log.warn('account.refresh_suspended', { instance: instance.domain })
    return scheduler.at(REFRESH_QUEUE, id, tomorrow)
  }

  return {
    async start() {
      stopProcessing ??= await scheduler.process(REFRESH_QUEUE, wakeUp)
    },
    async stop() {
      const stop = stopProcessing
      stopProcessing = undefined
      await stop?.()
    },
  }
}
