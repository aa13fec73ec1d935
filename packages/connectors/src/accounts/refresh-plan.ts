import type { Instance, Logger } from '@svc/platform'
import type { Scheduler } from '@svc/store'
import type { AccountType } from '../account-types/account-type.ts'
import { nextRefresh, type RefreshAhead } from './next-refresh.ts'
import type { LoadedAccount } from './account-loader.ts'

export const REFRESH_QUEUE = 'account-refresh'

/** Wake-ups for accounts. The account is the truth: a wake-up only says when to look at it. @see decision D18 */
export interface RefreshPlan {
  /** Never rejects: an account without a wake-up is refreshed on demand. */
  plan(instance: Instance, loaded: LoadedAccount, type: AccountType): Promise<void>
  cancel(instance: Instance, accountId: string): Promise<void>
}

export function createRefreshPlan(options: {
  readonly scheduler: Pick<Scheduler, 'at' | 'cancel'>
  /** False: nothing is planned. */
  readonly isOn: boolean
  readonly lifetimes?: RefreshAhead
  readonly log: Logger
}): RefreshPlan {
  const { scheduler, isOn, lifetimes, log } = options
  return {
    async plan(instance, { account, state }, type) {
      const when = isOn ? nextRefresh(account, type, state, lifetimes) : undefined
      if (when === undefined) return
      try {
        await scheduler.at(REFRESH_QUEUE, wakeUpId(instance, account._id), when)
      } catch (cause) {
        const { domain } = instance
        log.warn('account.plan_failed', {
          instance: domain,
          accountId: account._id,
          cause: String(cause),
        })
      }
    },
    async cancel(instance, accountId) {
      await scheduler.cancel(REFRESH_QUEUE, wakeUpId(instance, accountId))
    },
  }
}

/** What a wake-up is about: ids of instances hold no slash. */
export function wakeUpId(instance: Pick<Instance, 'id'>, accountId: string): string {
  return `${instance.id}/${accountId}`
}
