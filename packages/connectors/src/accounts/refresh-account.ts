import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance, Logger } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import type { AccountDocument } from './account.ts'
import type { AccountSeal } from './account-seal.ts'
import { sequenceOf } from './stored-oauth.ts'
import { ConnectorError } from '../connector-error.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { AccountLoader, LoadedAccount } from './account-loader.ts'
import type { RefreshOutcome, RunAttempt } from './refresh-attempt.ts'
import { inProgress, refreshError } from './refresh-errors.ts'
import type { RefreshLocks } from './refresh-lock.ts'
import { hashToken, wasRefreshedSince } from './refresh-state.ts'
import { demandRefreshable } from './refreshable.ts'

export interface RefreshRequest {
  readonly instance: Instance
  readonly type: AccountType
  /** As it was when the caller came: what ends later is news to it. */
  readonly loaded: LoadedAccount
  /** Revision that the caller has: when a refresh happened since, it gets what there is. @see connectors.md 8.3 */
  readonly revision?: string
  /** Asks the provider even about a refresh token that it refused a moment ago. @see connectors.md 8.5 */
  readonly isForced?: boolean
  /** For the log. */
  readonly requestId?: string
}

/** Replaces the tokens of accounts: one question to the provider at a time, one answer for all who wait. */
export interface Refresher {
  /**
   * Resolves with the account as it is then. Whoever asked waits for so long; the refresh itself always comes to its
   * end, since tokens that the provider has replaced must be kept.
   * @throws ConnectorError of connectors.md 10; StoreUnavailableError
   */
  refresh(request: RefreshRequest): Promise<AccountDocument>
}

/** @see connectors.md 8.2 to 8.5 */
export function createRefresher(options: {
  readonly clock: { now(): number }
  readonly lifetimes: Pick<Lifetimes, 'answer' | 'sharedFailure'>
  readonly loader: AccountLoader
  readonly locks: RefreshLocks
  readonly log: Logger
  readonly run: RunAttempt
  readonly seal: AccountSeal
}): Refresher {
  const { clock, lifetimes, loader, locks, log, run, seal } = options
  const underWay = new Map<string, Promise<RefreshOutcome>>()

  async function refreshInTime(request: RefreshRequest): Promise<AccountDocument> {
    const late = new AbortController()
    const tooLate = sleep(lifetimes.answer, undefined, { signal: late.signal }).then(() => {
      throw inProgress()
    })
    try {
      return await Promise.race([refresh(request), tooLate])
    } finally {
      late.abort()
    }
  }

  async function refresh(request: RefreshRequest): Promise<AccountDocument> {
    const { instance, loaded, revision } = request
    const { account, state } = loaded
    demandRefreshable(account)
    if (revision !== undefined && wasRefreshedSince(state, account._rev, revision)) return account
    if (request.isForced !== true && isRefused(instance, loaded)) {
      throw refreshError({ class: 'revoked' })
    }
    const key = `${instance.id}/${account._id}`
    for (;;) {
      const running = underWay.get(key)
      if (running === undefined) break
      const outcome = await running
      // What was decided before this caller came is what it already has.
      if (isNews(loaded, outcome)) return resultOf(outcome)
    }
    const leading = lead(request).finally(() => underWay.delete(key))
    underWay.set(key, leading)
    return resultOf(await leading)
  }

  function isRefused(instance: Instance, { account, state }: LoadedAccount): boolean {
    const { refused } = state
    if (refused === undefined || refused.until <= clock.now()) return false
    const { refreshToken } = seal.credentialsOf(instance, account)
    return refreshToken !== undefined && hashToken(refreshToken) === refused.tokenHash
  }

  async function lead(request: RefreshRequest): Promise<RefreshOutcome> {
    const { instance, type, loaded, requestId } = request
    const accountId = loaded.account._id
    const lock = await locks.acquire(instance, accountId)
    try {
      const now = await loader.load(instance, accountId)
      if (now === undefined) throw new ConnectorError('account_not_found')
      const known = outcomeSince(loaded, now)
      if (known !== undefined) return known
      if (lock === undefined) throw inProgress()
      demandRefreshable(now.account)
      return await run({
        ...{ instance, type, loaded: now, lock },
        ...(requestId !== undefined && { requestId }),
      })
    } finally {
      await lock?.release().catch((cause: unknown) => {
        log.warn('account.unlock_failed', {
          instance: instance.domain,
          accountId,
          cause: String(cause),
        })
      })
    }
  }

  /** What ended since the caller came, in whatever process. */
  function outcomeSince(seen: LoadedAccount, now: LoadedAccount): RefreshOutcome | undefined {
    if (sequenceOf(now.account.oauth) > sequenceOf(seen.account.oauth)) {
      return { ok: true, account: now.account }
    }
    const { finished, last } = now.state
    if (finished <= seen.state.finished || last?.failure === undefined) return undefined
    if (clock.now() - last.at >= lifetimes.sharedFailure) return undefined
    return { ok: false, failure: last.failure, attempt: finished }
  }

  return { refresh: refreshInTime }
}

function isNews(seen: LoadedAccount, outcome: RefreshOutcome): boolean {
  return outcome.ok
    ? sequenceOf(outcome.account.oauth) > sequenceOf(seen.account.oauth)
    : outcome.attempt > seen.state.finished
}

function resultOf(outcome: RefreshOutcome): AccountDocument {
  if (outcome.ok) return outcome.account
  throw refreshError(outcome.failure)
}
