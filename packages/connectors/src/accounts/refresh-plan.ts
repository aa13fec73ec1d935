import { createHash } from 'node:crypto'
import { DAY_MS, HOUR_MS, type Instance, MINUTE_MS } from '@svc/platform'
import { type AccountType, hasTokenEndpoint } from '../account-types/account-type.ts'
import { DEFAULT_LIFETIMES, type Lifetimes } from '../lifetimes.ts'
import type { ConnectorsServices } from '../services.ts'
import { type AccountDocument, fromInstant, hasRefreshToken, sequenceOf } from './account.ts'
import type { LoadedAccount, RefreshState } from './refresh-state.ts'

export const REFRESH_QUEUE = 'account-refresh'

/**
 * Asks to be woken up when the account's tokens should be replaced. The account is the truth: a wake-up only says when
 * to look at it. Never rejects: an account without a wake-up is refreshed on demand.
 * @see decision D18
 */
export async function planRefresh(
  services: ConnectorsServices,
  instance: Instance,
  { account, state }: LoadedAccount,
  type: AccountType,
): Promise<void> {
  const { lifetimes, log, options, store } = services
  const when = options.autoRefresh ? nextRefresh(account, type, state, lifetimes) : undefined
  if (when === undefined) return
  const accountId = account._id
  try {
    await store.scheduler.at(REFRESH_QUEUE, wakeUpId(instance, accountId), when)
  } catch (cause) {
    log.warn('account.plan_failed', { domain: instance.domain, accountId, cause: String(cause) })
  }
}

export async function cancelRefresh(
  { store }: Pick<ConnectorsServices, 'store'>,
  instance: Instance,
  accountId: string,
): Promise<void> {
  await store.scheduler.cancel(REFRESH_QUEUE, wakeUpId(instance, accountId))
}

/** What a wake-up is about: ids of instances hold no slash. */
function wakeUpId(instance: Pick<Instance, 'id'>, accountId: string): string {
  return `${instance.id}/${accountId}`
}

/** Pauses after 1, 2, 3, 4 and more failures in a row. @see connectors.md 8.7.4 */
const BACKOFF_MS: readonly number[] = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS]
/** After so long in vain an account needs its owner. @see connectors.md 8.7.4 */
const PATIENCE_MS = 4 * DAY_MS

/** What tokens are worth a wake-up, and how long before their end. @see connectors.md 8.7.1 */
export type RefreshAhead = Pick<Lifetimes, 'refreshMargin' | 'refreshShortest'>

/**
 * When the account's tokens should be replaced, milliseconds since the epoch; undefined: never by itself. It follows from
 * what is stored alone, jitter too, so that a wake-up can ask whether it is still wanted. @see connectors.md 8.7
 */
export function nextRefresh(
  account: AccountDocument,
  type: AccountType,
  state: RefreshState,
  ahead: RefreshAhead = DEFAULT_LIFETIMES,
): number | undefined {
  const { oauth } = account
  const isWorking = oauth?.status === 'connected' || oauth?.status === 'refresh_failing'
  if (!isWorking || !hasRefreshToken(account) || !hasTokenEndpoint(type)) return undefined
  const times = [beforeExpiry(account, type, ahead), beforeIdle(account, type)]
  const known = times.filter((time) => time !== undefined)
  if (known.length === 0) return undefined
  const wanted = Math.min(...known)
  const { failing } = state
  if (failing === undefined || failing.sequence !== sequenceOf(oauth)) return wanted
  return Math.max(wanted, failing.at + pauseAfter(failing))
}

/** Attempts that a provider refuses alike without saying why, and how long it takes. @see connectors.md 8.7 (4) */
const REFUSALS = 3
const REFUSALS_MS = HOUR_MS

/**
 * Since when an account fails, when that is long enough to need its owner, unless all of its type fail alike.
 * Milliseconds since the epoch.
 */
export function lostSince(failing: RefreshState['failing'], now: number): number | undefined {
  if (failing === undefined) return undefined
  return now - failing.since >= PATIENCE_MS ? failing.since : undefined
}

/** Since when a provider refuses an account's token alike, when that is often and long enough to believe it. */
export function refusedSince(failing: RefreshState['failing'], now: number): number | undefined {
  const { refusal } = failing ?? {}
  if (refusal === undefined || refusal.count < REFUSALS || refusal.at !== now) return undefined
  return now - refusal.since >= REFUSALS_MS ? refusal.since : undefined
}

function beforeExpiry(
  { _id, oauth }: AccountDocument,
  type: AccountType,
  { refreshShortest, refreshMargin }: RefreshAhead,
): number | undefined {
  const endsAt = fromInstant(oauth?.expires_at)
  if (endsAt === undefined) return undefined
  const startedAt = fromInstant(oauth?.refreshed_at) ?? endsAt - HOUR_MS
  const life = endsAt - startedAt
  if (life < refreshShortest) return undefined
  const usual = Math.min(15 * MINUTE_MS, life / 5)
  const margin = Math.max(refreshMargin, type.refreshMarginMs ?? usual)
  const jittered = margin * (1 + 0.1 * spread(`${_id} ${endsAt}`))
  // A margin longer than the life would refresh without end.
  return Math.round(endsAt - Math.min(jittered, life / 2))
}

/** Providers forget refresh tokens that nobody uses. */
function beforeIdle({ _id, oauth }: AccountDocument, type: AccountType): number | undefined {
  if (!type.isKeptAlive) return undefined
  const usedAt = fromInstant(oauth?.refreshed_at)
  if (usedAt === undefined) return undefined
  const jitter = 0.05 * (1 + spread(`${_id} ${usedAt}`))
  return Math.round(usedAt + DAY_MS * (1 - jitter))
}

function pauseAfter({ count, retryAfterS = 0 }: NonNullable<RefreshState['failing']>): number {
  const pause = BACKOFF_MS[Math.min(count, BACKOFF_MS.length) - 1] ?? MINUTE_MS
  return Math.max(pause, Math.min(retryAfterS * 1000, HOUR_MS))
}

/** From -1 to 1, always the same of the same text. */
function spread(text: string): number {
  return (createHash('sha256').update(text).digest().readUInt32BE(0) / 0xff_ff_ff_ff) * 2 - 1
}
