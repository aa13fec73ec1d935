import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from '@svc/platform'
import {
  type Change,
  describeError,
  indexKey,
  type Json,
  type Key,
  recordKey,
  type StoredRecord,
} from '@svc/store'
import type { ConnectorsServices } from '../services.ts'
import { type AccountDocument, accountTypeName, sequenceOf, type StoredOAuth } from './account.ts'
import { countUse } from './account-activity.ts'
import {
  accountEvent,
  changeAccount,
  type ChangeResult,
  notifySubscribers,
} from './account-changes.ts'
import { credentialsOf } from './account-seal.ts'
import type { RefreshLock } from './refresh-lock.ts'
import { planRefresh } from './refresh-plan.ts'
import {
  hashToken,
  type LoadedAccount,
  NO_STATE,
  type RefreshState,
  stateKey,
} from './refresh-state.ts'

/**
 * Tokens of a provider's answer on their way into their account: written to the journal first, so that neither a kill
 * nor a store of accounts that fails loses them. @see connectors.md 8.2.7
 */
export interface JournalEntry {
  /** Sealed. */
  readonly oauth: StoredOAuth
  /** Of the refresh token that was sent for them. */
  readonly sentHash: string
  /** Of the account they were asked for. */
  readonly sequence: number
}

/** Where the journal of an account stands. */
export function journalKey(instance: Pick<Instance, 'id'>, accountId: string): Key {
  return recordKey(instance.id, 'account-orphan', accountId)
}

/** An account, with tokens that did not get into it yet. Undefined: there is no such account. */
export async function loadAccount(
  services: ConnectorsServices,
  instance: Instance,
  accountId: string,
): Promise<LoadedAccount | undefined> {
  const { accounts, store } = services
  // The state first: whatever ends in between is then known from the account, or counts as still running.
  const [state, entry] = await store.getMany<Json>([
    stateKey(instance, accountId),
    journalKey(instance, accountId),
  ])
  const found = await accounts.get(instance, accountId)
  if (found === undefined) return undefined
  const account = entry === undefined ? found : await settle(services, instance, found, entry)
  if (account === undefined) return undefined
  // As `putState` wrote it.
  return { account, state: (state?.value as unknown as RefreshState | undefined) ?? NO_STATE }
}

async function settle(
  services: ConnectorsServices,
  instance: Instance,
  account: AccountDocument,
  record: StoredRecord,
): Promise<AccountDocument | undefined> {
  const { log, store } = services
  const entry = record.value as unknown as JournalEntry // As `journal` wrote it.
  try {
    const result = await applyTokens(services, instance, account, entry)
    await store.write([{ op: 'delete', key: record.key, ifRevision: record.revision }])
    return result?.account
  } catch (cause) {
    // They stay where they are; until then they are read from there.
    log.warn('account.store_failed', {
      domain: instance.domain,
      accountId: account._id,
      cause: describeError(cause),
    })
    return mergeTokens(services, instance, account, entry) ?? account
  }
}

/** The account with them; undefined when it has other tokens than those that were sent meanwhile. */
function mergeTokens(
  services: ConnectorsServices,
  instance: Instance,
  account: AccountDocument,
  { oauth, sentHash, sequence }: JournalEntry,
): AccountDocument | undefined {
  // SPEC: D38 - never a wrong token: tokens that came of others than the account's own are worth nothing.
  if (sequenceOf(account.oauth) !== sequence) return undefined
  const { refreshToken } = credentialsOf(services, instance, account)
  if (refreshToken === undefined || hashToken(refreshToken) !== sentHash) return undefined
  return { ...account, oauth }
}

/** Writes them into the account, whatever else changes in it; whoever does so tells everybody. */
async function applyTokens(
  services: ConnectorsServices,
  instance: Instance,
  account: AccountDocument,
  entry: JournalEntry,
): Promise<ChangeResult> {
  const { accountTypes, emit, log } = services
  const merged = mergeTokens(services, instance, account, entry)
  if (merged !== undefined) {
    // Planned first: when this process dies right after the write, another one goes on.
    const type = await accountTypes.get(accountTypeName(merged), instance.context)
    if (type !== undefined) {
      await planRefresh(services, instance, { account: merged, state: NO_STATE }, type)
    }
  }
  const result = await changeAccount(services, instance, account, (current) =>
    mergeTokens(services, instance, current, entry),
  )
  if (result?.written === true) {
    countUse(services, instance, result.account, 'refreshes')
    notifySubscribers(services, instance, 'UPDATED', result.account)
    emit('account.refreshed', accountEvent(instance, result.account))
    log.info('account.refreshed', {
      domain: instance.domain,
      accountId: result.account._id,
      type: result.account.account_type,
    })
  }
  return result
}

export interface SaveRequest {
  readonly instance: Instance
  readonly account: AccountDocument
  readonly lock: RefreshLock
  readonly entry: JournalEntry
}

/** How long tokens in memory wait for a store that comes back. A refresh token that rotated exists once. */
const PATIENCE_MS = 20_000
const PAUSE_MS = 250

/**
 * Gets the tokens of an answer into their account: first into the journal, then into the account. Resolves when they are
 * in either.
 * @throws whatever the stores throw, when both fail for long
 */
export async function saveTokens(
  services: ConnectorsServices,
  request: SaveRequest,
): Promise<ChangeResult> {
  const { log } = services
  const { instance, account, entry } = request
  const facts = { domain: instance.domain, accountId: account._id }
  const deadline = performance.now() + PATIENCE_MS
  let isKept = false
  let isWaiting = false
  for (;;) {
    isKept ||= await journal(services, request).catch(() => false)
    try {
      return await applyTokens(services, instance, account, entry)
    } catch (cause) {
      const merged = isKept ? mergeTokens(services, instance, account, entry) : undefined
      if (merged !== undefined) {
        log.warn('account.store_failed', { ...facts, cause: describeError(cause) })
        return { written: false, account: merged }
      }
      if (performance.now() >= deadline) {
        log.error('account.tokens_lost', { ...facts, cause: describeError(cause) })
        throw cause
      }
      if (!isWaiting) log.warn('account.tokens_waiting', { ...facts, cause: describeError(cause) })
      isWaiting = true
    }
    await sleep(PAUSE_MS)
  }
}

async function journal(
  { clock, lifetimes, store }: ConnectorsServices,
  { instance, account, lock, entry }: SaveRequest,
): Promise<boolean> {
  const change: Change = {
    op: 'put',
    key: journalKey(instance, account._id),
    // Made of JSON values only; its optional members are left out, not undefined.
    value: entry as unknown as Json,
    expiresAt: clock.now() + lifetimes.orphan,
    indexes: [{ index: indexKey(instance.id, 'account-orphans'), sort: account._id }],
  }
  if (await lock.write([change])) return true
  // Somebody else holds the lock by now; what that one keeps there came later.
  return (await store.write([{ ...change, ifAbsent: true }])).written
}
