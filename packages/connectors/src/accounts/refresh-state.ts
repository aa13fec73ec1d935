import { createHash } from 'node:crypto'
import { DAY_MS, type Instance } from '@svc/platform'
import { type Change, indexKey, type Json, type Key, recordKey } from '@svc/store'
import type { FailureClass } from '../token-client/provider.ts'
import type { AccountDocument } from './account.ts'

/** Why a provider was asked in vain, as everybody who waited for it is told. */
export interface RefreshFailure {
  readonly class: FailureClass
  /** Of the provider. Seconds. */
  readonly retryAfterS?: number
  /** Of a 400 that does not say whose fault it is: the provider's code. */
  readonly refusal?: string
}

/** What is remembered of an account's refreshes beside the account itself; written only under its lock. */
export interface RefreshState {
  /** Attempts that ended. */
  readonly finished: number
  /** The provider is being asked, or whoever asked it died. */
  readonly asking?: { readonly since: number; readonly tokenHash: string }
  /** How the last attempt ended; without `failure`: well. */
  readonly last?: { readonly at: number; readonly failure?: RefreshFailure }
  /** A refresh token that the provider refused. @see connectors.md 8.5 */
  readonly refused?: { readonly tokenHash: string; readonly until: number }
  /** Attempts that failed in a row, since the account's tokens were replaced last (`sequence`). */
  readonly failing?: {
    readonly sequence: number
    readonly since: number
    readonly at: number
    readonly count: number
    readonly retryAfterS?: number
    /** The same 400 that does not say whose fault it is, again and again. */
    readonly refusal?: {
      readonly reason: string
      readonly since: number
      readonly at: number
      readonly count: number
    }
  }
  /** Revision that the last refresh wrote. */
  readonly written?: string
  /** Revisions that refreshes replaced or wrote, newest first. */
  readonly outdated?: readonly string[]
}

/** An account as it stands, and what is remembered of its refreshes. */
export interface LoadedAccount {
  readonly account: AccountDocument
  readonly state: RefreshState
}

/** What everybody who waited for a refresh is told. */
export type RefreshOutcome =
  | { readonly ok: true; readonly account: AccountDocument }
  | { readonly ok: false; readonly failure: RefreshFailure; readonly attempt: number }

export const NO_STATE: RefreshState = { finished: 0 }

/** Outlives every backoff and the four days of failures. */
const STATE_MS = 7 * DAY_MS
const KEPT_REVISIONS = 16

export function stateKey(instance: Pick<Instance, 'id'>, accountId: string): Key {
  return recordKey(instance.id, 'account-refresh', accountId)
}

export function putState(
  instance: Pick<Instance, 'id'>,
  accountId: string,
  state: RefreshState,
  now: number,
): Change {
  return {
    op: 'put',
    key: stateKey(instance, accountId),
    // Made of JSON values only; its optional members are left out, not undefined.
    value: state as unknown as Json,
    expiresAt: now + STATE_MS,
    indexes: [{ index: indexKey(instance.id, 'account-refreshes'), sort: accountId }],
  }
}

/** Names a refresh token without being it. */
export function hashToken(refreshToken: string): string {
  return createHash('sha256').update(refreshToken).digest('base64url')
}

/** The state after the document got other tokens. */
export function afterSuccess(
  state: RefreshState,
  revisions: { readonly replaced: string; readonly written: string },
  now: number,
): RefreshState {
  const { written, outdated = [] } = state
  const earlier = [revisions.replaced, ...(written === undefined ? [] : [written]), ...outdated]
  return {
    finished: state.finished + 1,
    last: { at: now },
    written: revisions.written,
    outdated: [...new Set(earlier)].slice(0, KEPT_REVISIONS),
  }
}

/** The state after the provider was asked in vain. */
export function afterFailure(
  state: RefreshState,
  failed: {
    readonly failure: RefreshFailure
    readonly sequence: number
    /** Of a refresh token that was refused. */
    readonly refused?: { readonly tokenHash: string; readonly until: number }
  },
  now: number,
): RefreshState {
  const { asking: _, ...kept } = state
  const { failure, sequence, refused } = failed
  const { refusal: reason, ...shared } = failure
  const before = state.failing?.sequence === sequence ? state.failing : undefined
  const refusal =
    reason === undefined ? before?.refusal : refusedAgain(before?.refusal, reason, now)
  return {
    ...kept,
    finished: state.finished + 1,
    last: { at: now, failure: shared },
    ...(refused !== undefined && { refused }),
    failing: {
      sequence,
      // What the operator has to mend is no time that the owner's patience ends with.
      since: failure.class === 'config' ? now : (before?.since ?? now),
      at: now,
      count: (before?.count ?? 0) + 1,
      ...(failure.retryAfterS !== undefined && { retryAfterS: failure.retryAfterS }),
      ...(refusal !== undefined && { refusal }),
    },
  }
}

type Failing = NonNullable<RefreshState['failing']>

function refusedAgain(
  before: Failing['refusal'],
  reason: string,
  now: number,
): NonNullable<Failing['refusal']> {
  const same = before?.reason === reason ? before : { since: now, count: 0 }
  return { reason, since: same.since, at: now, count: same.count + 1 }
}

/**
 * Whether a refresh wrote the account after it had the revision. Revisions are the host's: those that no refresh met are
 * compared with the last one that a refresh wrote, by their leading number when both have one.
 * @see connectors.md 8.3
 */
export function wasRefreshedSince(
  state: RefreshState,
  currentRevision: string,
  revision: string,
): boolean {
  const { written, outdated = [] } = state
  if (written === undefined || revision === currentRevision || revision === written) return false
  if (outdated.includes(revision) || currentRevision === written) return true
  const generation = generationOf(revision)
  const ofWritten = generationOf(written)
  return generation !== undefined && ofWritten !== undefined && generation < ofWritten
}

/** `3-…` is of generation 3. */
function generationOf(revision: string): number | undefined {
  const digits = /^(\d{1,15})-/.exec(revision)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
