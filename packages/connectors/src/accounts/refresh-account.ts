import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from '@svc/platform'
import { type AccountType, hasTokenEndpoint } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'
import { type AccountDocument, accountTypeName, requireRefreshable, sequenceOf } from './account.ts'
import { credentialsOf } from './account-seal.ts'
import { attemptRefresh } from './refresh-attempt.ts'
import { failingClosed, inProgress, refreshError } from './refresh-errors.ts'
import { acquireRefreshLock, releaseOrLog } from './refresh-lock.ts'
import {
  hashToken,
  type LoadedAccount,
  type RefreshOutcome,
  wasRefreshedSince,
} from './refresh-state.ts'
import { loadAccount } from './token-journal.ts'

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

/**
 * Replaces the tokens of an account: the provider is asked one question at a time, and all who wait get one answer.
 * Resolves with the account as it is then. The caller waits for so long; the refresh itself always comes to its end,
 * since tokens that the provider has replaced must be kept.
 * @throws ConnectorError of connectors.md 10; StoreUnavailableError
 * @see connectors.md 8.2 to 8.5
 */
export async function refreshAccount(
  services: ConnectorsServices,
  request: RefreshRequest,
): Promise<AccountDocument> {
  const late = new AbortController()
  const tooLate = sleep(services.lifetimes.answer, undefined, { signal: late.signal }).then(() => {
    throw inProgress()
  })
  try {
    return await Promise.race([joinOrLead(services, request), tooLate])
  } finally {
    late.abort()
  }
}

/** For the host itself, without a token's permissions: an operator asks. @throws ConnectorError of connectors.md 10 */
export function refreshAsOperator(
  services: ConnectorsServices,
  instance: Instance,
  accountId: string,
  { isForced = false }: { readonly isForced?: boolean } = {},
): Promise<AccountDocument> {
  return failingClosed(async () => {
    const loaded = await loadAccount(services, instance, accountId)
    if (loaded === undefined) throw new ConnectorError('account_not_found')
    requireRefreshable(loaded.account)
    const name = accountTypeName(loaded.account)
    const type = await services.accountTypes.get(name, instance.context)
    if (type === undefined) throw new ConnectorError('account_type_not_found')
    if (type.fault !== undefined || !hasTokenEndpoint(type)) {
      throw new ConnectorError('account_type_misconfigured')
    }
    return refreshAccount(services, { instance, type, loaded, isForced })
  })
}

async function joinOrLead(
  services: ConnectorsServices,
  request: RefreshRequest,
): Promise<AccountDocument> {
  const { refreshes } = services
  const { instance, loaded, revision } = request
  const { account, state } = loaded
  requireRefreshable(account)
  if (revision !== undefined && wasRefreshedSince(state, account._rev, revision)) return account
  if (request.isForced !== true && isRefused(services, instance, loaded)) {
    throw refreshError({ class: 'revoked' })
  }
  const key = `${instance.id}/${account._id}`
  for (;;) {
    const running = refreshes.get(key)
    if (running === undefined) break
    const outcome = await running
    // What was decided before this caller came is what it already has.
    if (isNews(loaded, outcome)) return resultOf(outcome)
  }
  const leading = leadRefresh(services, request).finally(() => refreshes.delete(key))
  refreshes.set(key, leading)
  return resultOf(await leading)
}

async function leadRefresh(
  services: ConnectorsServices,
  request: RefreshRequest,
): Promise<RefreshOutcome> {
  const { instance, type, loaded, requestId } = request
  const accountId = loaded.account._id
  const lock = await acquireRefreshLock(services, instance, accountId)
  try {
    const now = await loadAccount(services, instance, accountId)
    if (now === undefined) throw new ConnectorError('account_not_found')
    const known = outcomeSince(services, loaded, now)
    if (known !== undefined) return known
    if (lock === undefined) throw inProgress()
    requireRefreshable(now.account)
    return await attemptRefresh(services, {
      instance,
      type,
      loaded: now,
      lock,
      ...(requestId !== undefined && { requestId }),
    })
  } finally {
    if (lock !== undefined) await releaseOrLog(services, instance, accountId, lock)
  }
}

function isRefused(
  services: ConnectorsServices,
  instance: Instance,
  { account, state: { refused } }: LoadedAccount,
): boolean {
  if (refused === undefined || refused.until <= services.clock.now()) return false
  const { refreshToken } = credentialsOf(services, instance, account)
  return refreshToken !== undefined && hashToken(refreshToken) === refused.tokenHash
}

/** What ended since the caller came, in whatever process. */
function outcomeSince(
  { clock, lifetimes }: ConnectorsServices,
  seen: LoadedAccount,
  now: LoadedAccount,
): RefreshOutcome | undefined {
  if (sequenceOf(now.account.oauth) > sequenceOf(seen.account.oauth)) {
    return { ok: true, account: now.account }
  }
  const { finished, last } = now.state
  if (finished <= seen.state.finished || last?.failure === undefined) return undefined
  if (clock.now() - last.at >= lifetimes.sharedFailure) return undefined
  return { ok: false, failure: last.failure, attempt: finished }
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
