import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance, Logger } from '@svc/platform'
import { describeError, type Store } from '@svc/store'
import type { AccountDocument } from './account.ts'
import type { ChangeResult } from './change-account.ts'
import { keptKey, type KeptTokens, putKept, type TokenKeeper } from './token-journal.ts'
import type { RefreshLock } from './refresh-lock.ts'

export interface SaveRequest {
  readonly instance: Instance
  readonly account: AccountDocument
  readonly lock: RefreshLock
  readonly kept: KeptTokens
}

/** Gets the tokens of an answer into their account. */
export interface TokenSaving {
  /**
   * First to a place of their own, then into the account. Resolves when they are in either.
   * @throws whatever the stores throw, when both fail for long
   */
  save(request: SaveRequest): Promise<ChangeResult>
}

/** How long tokens in memory wait for a store that comes back. A refresh token that rotated exists once. */
const PATIENCE_MS = 20_000
const PAUSE_MS = 250

export function createTokenSaving(options: {
  readonly store: Store
  readonly clock: { now(): number }
  readonly keeper: TokenKeeper
  readonly keptMs: number
  readonly log: Logger
}): TokenSaving {
  const { store, clock, keeper, keptMs, log } = options

  async function keep({ instance, account, lock, kept }: SaveRequest): Promise<boolean> {
    const change = putKept(keptKey(instance, account._id), kept, clock.now() + keptMs)
    if (await lock.write([change])) return true
    // Somebody else holds the lock by now; what that one keeps there came later.
    return (await store.write([{ ...change, ifAbsent: true }])).written
  }

  return {
    async save(request) {
      const { instance, account, kept } = request
      const facts = { instance: instance.domain, accountId: account._id }
      const deadline = performance.now() + PATIENCE_MS
      let isKept = false
      let isWaiting = false
      for (;;) {
        isKept ||= await keep(request).catch(() => false)
        try {
          return await keeper.apply(instance, account, kept)
        } catch (cause) {
          const merged = isKept ? keeper.merge(instance, account, kept) : undefined
          if (merged !== undefined) {
            log.warn('account.store_failed', { ...facts, cause: describeError(cause) })
            return { written: false, account: merged }
          }
          if (performance.now() >= deadline) {
            log.error('account.tokens_lost', { ...facts, cause: describeError(cause) })
            throw cause
          }
          if (!isWaiting)
            log.warn('account.tokens_waiting', { ...facts, cause: describeError(cause) })
          isWaiting = true
        }
        await sleep(PAUSE_MS)
      }
    },
  }
}
