import { DAY_MS, type Instance, type InstanceId } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'
import { accountTypeName } from './account.ts'
import { refreshAccount } from './refresh-account.ts'
import { nextRefresh, planRefresh, REFRESH_QUEUE } from './refresh-plan.ts'
import type { LoadedAccount } from './refresh-state.ts'
import { loadAccount } from './token-journal.ts'

/**
 * Accounts of one type that are refreshed at a time, of the 16 wake-ups that a process handles: a provider that hangs
 * must not hold up those of all others.
 */
const TYPE_AT_A_TIME = 5
/** How much later the others of the type come, at least and at most. Milliseconds. */
const SOONEST_MS = 10_000
const LATEST_MS = 30_000

/** Replaces tokens before they end. @see connectors.md 8.7 */
export class AutoRefresh {
  readonly #services: ConnectorsServices
  /** Refreshes under way here, by id of the type. */
  readonly #underWay = new Map<string, number>()
  #stopProcessing: (() => Promise<void>) | undefined

  constructor(services: ConnectorsServices) {
    this.#services = services
  }

  async start(): Promise<void> {
    this.#stopProcessing ??= await this.#services.store.scheduler.process(REFRESH_QUEUE, (wakeUp) =>
      this.#wakeUp(wakeUp),
    )
  }

  /** Waits for the refreshes under way. */
  async stop(): Promise<void> {
    const stop = this.#stopProcessing
    this.#stopProcessing = undefined
    await stop?.()
  }

  /** Wake-ups are never the last word: what is due follows from the account as it is now. */
  async #wakeUp({ id }: { readonly id: string }): Promise<void> {
    const services = this.#services
    const { accountTypes, clock, instances, lifetimes } = services
    const slash = id.indexOf('/')
    const accountId = id.slice(slash + 1)
    const instance = await instances.byId(id.slice(0, slash) as InstanceId) // As `planRefresh` wrote it.
    if (instance === undefined || instance.status === 'deleting') return
    const loaded = await loadAccount(services, instance, accountId)
    if (loaded === undefined) return
    const type = await accountTypes.get(accountTypeName(loaded.account), instance.context)
    if (instance.status !== 'active' || type === undefined || type.fault !== undefined) {
      return this.#postpone(instance, id)
    }
    const when = nextRefresh(loaded.account, type, loaded.state, lifetimes)
    if (when === undefined) return
    if (when > clock.now()) return planRefresh(services, instance, loaded, type)
    await this.#refresh(instance, id, type, loaded)
  }

  async #refresh(
    instance: Instance,
    wakeUpId: string,
    type: AccountType,
    loaded: LoadedAccount,
  ): Promise<void> {
    const { log, store } = this.#services
    const others = this.#underWay.get(type.id) ?? 0
    if (others >= TYPE_AT_A_TIME) {
      return store.scheduler.at(REFRESH_QUEUE, wakeUpId, this.#inAMoment())
    }
    this.#underWay.set(type.id, others + 1)
    try {
      await refreshAccount(this.#services, { instance, type, loaded })
    } catch (error) {
      // What the provider says is in the account by now, and the next try planned.
      if (!ConnectorError.is(error) || error.code === 'oauth_refresh_in_progress') throw error
      log.info('account.refresh_postponed', {
        domain: instance.domain,
        accountId: loaded.account._id,
        code: error.code,
      })
    } finally {
      const left = (this.#underWay.get(type.id) ?? 1) - 1
      if (left === 0) this.#underWay.delete(type.id)
      else this.#underWay.set(type.id, left)
    }
  }

  /** Not all at the same one. */
  #inAMoment(): number {
    const { clock } = this.#services
    return Math.round(clock.now() + SOONEST_MS + Math.random() * (LATEST_MS - SOONEST_MS))
  }

  /** Until the operator lets the instance, or the type, be used again. One wake-up a day, however many ask for it. */
  #postpone(instance: Instance, id: string): Promise<void> {
    const { clock, log, store } = this.#services
    const tomorrow = (Math.floor(clock.now() / DAY_MS) + 1) * DAY_MS
    log.warn('account.refresh_suspended', { domain: instance.domain })
    return store.scheduler.at(REFRESH_QUEUE, id, tomorrow)
  }
}
