import { createHash } from 'node:crypto'
import { DAY_MS, HOUR_MS, type Instance } from '@svc/platform'
import { indexKey, type Json, type Key, type Page, recordKey, type Store } from '@svc/store'
import { ACCOUNT_TYPES_TAG } from '../account-types/account-type.ts'
import type { ConnectorsServices } from '../services.ts'
import type { FailureClass } from '../token-client/provider.ts'

/** How the refreshes of one account type go, over all instances. @see connectors.md 8.7 (4) */
export interface TypeHealth {
  /** Accounts that were connected or refreshed last, the newest first. */
  readonly accounts: readonly { readonly account: string; readonly at: number }[]
  /** When an account got new tokens last. */
  readonly refreshedAt?: number
  /** What every attempt since then came to. */
  readonly failing?: {
    readonly since: number
    readonly at: number
    readonly class: FailureClass
    /** In the provider's words, fit for logs. */
    readonly reason: string
    readonly loggedAt?: number
  }
}

/** An account type whose accounts all get no new tokens. */
export interface FailingAccountType {
  readonly accountType: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** The provider's code. */
  readonly reason: string
}

/** Of an account, whichever instance it is of. */
export interface SeenAccount {
  readonly typeId: string
  readonly instance: Pick<Instance, 'id'>
  readonly accountId: string
}

const KIND = 'account-type-health'
const HEALTH_INDEX = indexKey(ACCOUNT_TYPES_TAG, KIND)
/** Enough to know whether there is another account. */
const MAX_ACCOUNTS = 8
/** Longer than most refresh tokens wait for their use. */
const KEPT_MS = 90 * DAY_MS
const TRIES = 5
/** How long all accounts of a type fail before it counts as the operator's task. */
const ALIKE_MS = HOUR_MS
/** Accounts that fail are tried every hour: without an attempt nobody has them any more. */
const CURRENT_MS = 2 * DAY_MS

type HealthServices = Pick<ConnectorsServices, 'clock' | 'log' | 'store'>

/** Notes that there is an account. Never rejects: what is not known is not told to an owner. */
export async function noteAccountOfType(
  services: HealthServices,
  seen: SeenAccount,
): Promise<void> {
  await changeHealth(services, seen, (health) => health)
}

/** Notes that an account got new tokens. Never rejects. */
export async function noteRefreshed(services: HealthServices, seen: SeenAccount): Promise<void> {
  const refreshedAt = services.clock.now()
  await changeHealth(services, seen, ({ accounts }) => ({ accounts, refreshedAt }))
}

/** Notes that an account got none, and tells the operator when it is theirs. Never rejects. */
export async function noteRefreshFailed(
  services: HealthServices,
  seen: SeenAccount,
  failure: { readonly class: FailureClass; readonly reason: string },
): Promise<TypeHealth | undefined> {
  const now = services.clock.now()
  let isTold = false
  const health = await changeHealth(services, seen, (before) => {
    const { since = now, loggedAt } = before.failing ?? {}
    const failing = { since, at: now, class: failure.class, reason: failure.reason }
    const after = {
      ...before,
      failing: { ...failing, ...(loggedAt !== undefined && { loggedAt }) },
    }
    isTold = isOperators(after) && now - (loggedAt ?? 0) >= DAY_MS
    return isTold ? { ...after, failing: { ...failing, loggedAt: now } } : after
  })
  if (isTold) {
    services.log.error('account_type.failing', {
      accountType: seen.typeId,
      class: failure.class,
      reason: failure.reason,
    })
  }
  return health
}

/** Drops what is known of an account that was deleted. Never rejects. */
export async function forgetAccountOfType(
  services: HealthServices,
  seen: SeenAccount,
): Promise<void> {
  const account = nameOf(seen)
  await changeHealth(services, seen, (health) => ({
    ...health,
    accounts: health.accounts.filter((each) => each.account !== account),
  }))
}

/**
 * Whether an account that fails since then fails alone: another one got new tokens meanwhile, or there is no other. All
 * alike are the operator's.
 */
export function failsAlone(
  { accounts, refreshedAt = 0 }: TypeHealth,
  seen: SeenAccount,
  since: number,
): boolean {
  const account = nameOf(seen)
  return refreshedAt >= since || accounts.every((each) => each.account === account)
}

/**
 * Account types of which no account gets new tokens, for the operator's checks.
 * @param now - milliseconds since the epoch
 * @example
 * for (const { accountType, reason } of await failingAccountTypes(store, Date.now())) console.warn(accountType, reason)
 */
export async function failingAccountTypes(
  store: Pick<Store, 'list'>,
  now: number,
): Promise<readonly FailingAccountType[]> {
  const found: FailingAccountType[] = []
  let cursor: string | undefined
  do {
    const page: Page = await store.list(HEALTH_INDEX, cursor === undefined ? {} : { cursor })
    for (const { key, value } of page.records) {
      const health = value as unknown as TypeHealth // As `changeHealth` wrote it.
      const { failing } = health
      if (failing === undefined || now - failing.at > CURRENT_MS || !isOperators(health)) continue
      const accountType = key.slice(keyOf('-').length - 1)
      found.push({ accountType, since: failing.since, reason: failing.reason })
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}

/** The configuration is wrong, or more than one account failed for an hour and none was refreshed. */
function isOperators({ accounts, failing }: TypeHealth): boolean {
  if (failing === undefined) return false
  if (failing.class === 'config') return true
  const tried = accounts.filter(({ at }) => at >= failing.since)
  return tried.length > 1 && failing.at - failing.since >= ALIKE_MS
}

async function changeHealth(
  { clock, store }: HealthServices,
  seen: SeenAccount,
  change: (health: TypeHealth) => TypeHealth,
): Promise<TypeHealth | undefined> {
  const key = keyOf(seen.typeId)
  const account = nameOf(seen)
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      const record = await store.get<Json>(key)
      const now = clock.now()
      const before = (record?.value as unknown as TypeHealth | undefined) ?? { accounts: [] } // As below.
      const others = before.accounts.filter((each) => each.account !== account)
      const accounts = [{ account, at: now }, ...others]
        .filter(({ at }) => now - at < KEPT_MS)
        .slice(0, MAX_ACCOUNTS)
      const health = change({ ...before, accounts })
      const { written } = await store.write([
        {
          op: 'put',
          key,
          value: health as unknown as Json, // Made of JSON values only.
          expiresAt: now + KEPT_MS,
          indexes: [{ index: HEALTH_INDEX, sort: seen.typeId }],
          ...(record === undefined ? { ifAbsent: true } : { ifRevision: record.revision }),
        },
      ])
      if (written) return health
    } catch {
      // The refresh itself matters, and says by itself that the store is away.
      return undefined
    }
  }
  return undefined
}

function keyOf(typeId: string): Key {
  return recordKey(ACCOUNT_TYPES_TAG, KIND, typeId)
}

function nameOf({ instance, accountId }: SeenAccount): string {
  return createHash('sha256').update(`${instance.id}/${accountId}`).digest('base64url')
}
