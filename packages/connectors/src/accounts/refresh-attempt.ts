import type { Instance, Logger } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import type { AccountDocument } from './account.ts'
import type { AccountSeal } from './account-seal.ts'
import type { AccountMarker } from './mark-account.ts'
import { refreshedOAuth, sequenceOf } from './stored-oauth.ts'
import { ConnectorError } from '../connector-error.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { TokenClient, TokenResult, TokenSet } from '../token-client/provider.ts'
import type { AccountLoader, LoadedAccount } from './account-loader.ts'
import { keptKey } from './token-journal.ts'
import { isGivenUp } from './next-refresh.ts'
import { codeOf, inProgress } from './refresh-errors.ts'
import type { RefreshLock } from './refresh-lock.ts'
import type { RefreshPlan } from './refresh-plan.ts'
import {
  afterFailure,
  afterSuccess,
  hashToken,
  putState,
  type RefreshFailure,
  type RefreshState,
  stateKey,
} from './refresh-state.ts'
import type { TokenSaving } from './token-saving.ts'

/** What everybody who waited for a refresh is told. */
export type RefreshOutcome =
  | { readonly ok: true; readonly account: AccountDocument }
  | { readonly ok: false; readonly failure: RefreshFailure; readonly attempt: number }

export interface AttemptRequest {
  readonly instance: Instance
  readonly type: AccountType
  /** Read under the lock. */
  readonly loaded: LoadedAccount
  readonly lock: RefreshLock
  /** For the log. */
  readonly requestId?: string
}

export interface AttemptOptions {
  readonly clock: { now(): number }
  readonly lifetimes: Pick<Lifetimes, 'refusedToken'>
  readonly log: Logger
  readonly loader: AccountLoader
  readonly marker: AccountMarker
  readonly plan: RefreshPlan
  readonly saving: TokenSaving
  readonly seal: AccountSeal
  readonly tokenClient: Pick<TokenClient, 'refresh'>
}

/** One question to the provider, and what follows from its answer. Gives the lock back. */
export type RunAttempt = (request: AttemptRequest) => Promise<RefreshOutcome>

/** @see connectors.md 8.2.6 to 8.2.9 */
export function createAttempt(options: AttemptOptions): RunAttempt {
  const { clock, lifetimes, log, loader, marker, plan, saving, seal, tokenClient } = options

  async function run(request: AttemptRequest, isRetry = false): Promise<RefreshOutcome> {
    const { instance, type, loaded, lock } = request
    const { account, state } = loaded
    const { refreshToken } = seal.credentialsOf(instance, account)
    // SPEC: 7.3.4 - what does not open is as good as refused.
    if (refreshToken === undefined) return fail(request, { class: 'revoked' })
    const tokenHash = hashToken(refreshToken)
    const facts = { instance: instance.domain, accountId: account._id, type: type.name }
    if (state.asking !== undefined && state.asking.tokenHash === tokenHash) {
      // Whoever asked died before it could say what came of it: a provider that rotates may refuse now.
      log.warn('account.refresh_interrupted', { ...facts, since: state.asking.since })
    }
    const asking = { since: clock.now(), tokenHash }
    const key = stateKey(instance, account._id)
    const asked = { ...state, asking }
    if (!(await lock.write([putState(key, asked, asking.since)]))) throw inProgress()
    const result = await tokenClient.refresh(type, refreshToken, {
      instance: instance.domain,
      ...(request.requestId !== undefined && { requestId: request.requestId }),
    })
    const sent = { ...request, loaded: { account, state: asked } }
    if (result.ok) return keep(sent, result.tokens, tokenHash)
    log.warn('account.refresh_failed', { ...facts, class: result.class, reason: result.reason })
    if (result.class !== 'revoked') return fail(sent, failureOf(result))
    return (await replacedMeanwhile(sent, tokenHash, isRetry)) ?? refuse(sent, tokenHash)
  }

  async function keep(
    request: AttemptRequest,
    tokens: TokenSet,
    sentHash: string,
  ): Promise<RefreshOutcome> {
    const { instance, loaded, lock } = request
    const { account, state } = loaded
    const before = account.oauth
    if (before === undefined) throw new Error('an account without tokens was refreshed')
    const now = clock.now()
    const owner = { instance, accountId: account._id }
    const oauth = refreshedOAuth(seal, owner, before, tokens, now)
    const sequence = sequenceOf(before)
    const result = await saving.save({
      instance,
      account,
      lock,
      kept: { oauth, sentHash, sequence },
    })
    if (result === undefined) throw new ConnectorError('account_not_found')
    const isWritten = result.account._rev !== account._rev
    const revisions = { replaced: account._rev, written: result.account._rev }
    const next = isWritten ? afterSuccess(state, revisions, now) : settled(state, now)
    await giveBack(request, next, isWritten)
    return { ok: true, account: result.account }
  }

  async function fail(
    request: AttemptRequest,
    failure: RefreshFailure,
    refused?: NonNullable<RefreshState['refused']>,
  ): Promise<RefreshOutcome> {
    const { instance, type, loaded } = request
    const { account, state } = loaded
    const now = clock.now()
    const sequence = sequenceOf(account.oauth)
    const next = afterFailure(state, { failure, sequence, ...(refused && { refused }) }, now)
    const isLost = failure.class === 'revoked' || isGivenUp(next.failing, now)
    const marked = await marker.mark(instance, account, {
      status: isLost ? 'reconnect_required' : 'refresh_failing',
      code: codeOf(failure.class),
    })
    await giveBack(request, next, false)
    await plan.plan(instance, { account: marked, state: next }, type)
    return { ok: false, failure, attempt: next.finished }
  }

  function refuse(request: AttemptRequest, tokenHash: string): Promise<RefreshOutcome> {
    const until = clock.now() + lifetimes.refusedToken
    return fail(request, { class: 'revoked' }, { tokenHash, until })
  }

  /** SPEC: 8.2.9 - a refused token that is no longer the account's says nothing about the account. */
  async function replacedMeanwhile(
    request: AttemptRequest,
    tokenHash: string,
    isRetry: boolean,
  ): Promise<RefreshOutcome | undefined> {
    const { instance, loaded } = request
    const now = await loader.load(instance, loaded.account._id)
    if (now === undefined) throw new ConnectorError('account_not_found')
    if (sequenceOf(now.account.oauth) > sequenceOf(loaded.account.oauth)) {
      await giveBack(request, settled(loaded.state, clock.now()), false)
      return { ok: true, account: now.account }
    }
    const { refreshToken } = seal.credentialsOf(instance, now.account)
    const isOther = refreshToken !== undefined && hashToken(refreshToken) !== tokenHash
    if (!isOther || isRetry) return undefined
    return run({ ...request, loaded: { account: now.account, state: loaded.state } }, true)
  }

  /** The lock with what the next holder is to know; it ends by itself when that fails. */
  async function giveBack(
    { instance, loaded, lock }: AttemptRequest,
    state: RefreshState,
    isStored: boolean,
  ): Promise<void> {
    const accountId = loaded.account._id
    const put = putState(stateKey(instance, accountId), state, clock.now())
    const kept = { op: 'delete', key: keptKey(instance, accountId) } as const
    await lock.release(isStored ? [put, kept] : [put]).catch((cause: unknown) => {
      log.warn('account.unlock_failed', {
        instance: instance.domain,
        accountId,
        cause: String(cause),
      })
    })
  }

  return run
}

/** Ended well without a write of this attempt's own. */
function settled({ asking: _, ...state }: RefreshState, now: number): RefreshState {
  return { ...state, finished: state.finished + 1, last: { at: now } }
}

function failureOf(result: Extract<TokenResult, { ok: false }>): RefreshFailure {
  const { class: kind, retryAfterS } = result
  return { class: kind, ...(retryAfterS !== undefined && { retryAfterS }) }
}
