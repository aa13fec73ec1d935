import type { Instance } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'
import type { TokenResult, TokenSet } from '../token-client/provider.ts'
import { refreshTokens } from '../token-client/token-endpoint.ts'
import { sequenceOf } from './account.ts'
import { markAccount } from './account-changes.ts'
import { credentialsOf, refreshedOAuth } from './account-seal.ts'
import { codeOf, inProgress } from './refresh-errors.ts'
import { type RefreshLock, releaseOrLog } from './refresh-lock.ts'
import { lostSince, planRefresh, refusedSince } from './refresh-plan.ts'
import {
  afterFailure,
  afterSuccess,
  hashToken,
  type LoadedAccount,
  putState,
  type RefreshFailure,
  type RefreshOutcome,
  type RefreshState,
} from './refresh-state.ts'
import { failsAlone, noteRefreshed, noteRefreshFailed, type SeenAccount } from './type-health.ts'
import { journalKey, loadAccount, saveTokens } from './token-journal.ts'

export interface AttemptRequest {
  readonly instance: Instance
  readonly type: AccountType
  /** Read under the lock. */
  readonly loaded: LoadedAccount
  readonly lock: RefreshLock
  /** For the log. */
  readonly requestId?: string
}

/**
 * Asks the provider once, and draws the conclusions from its answer. Gives the lock back.
 * @param isRetry - whether a refused token turned out to be replaced already
 * @see connectors.md 8.2.6 to 8.2.9
 */
export async function attemptRefresh(
  services: ConnectorsServices,
  request: AttemptRequest,
  isRetry = false,
): Promise<RefreshOutcome> {
  const { clock, log } = services
  const { instance, type, loaded, lock } = request
  const { account, state } = loaded
  const { refreshToken } = credentialsOf(services, instance, account)
  // SPEC: 7.3.4 - what does not open is as good as refused.
  if (refreshToken === undefined) return failAttempt(services, request, { class: 'revoked' }, true)
  const tokenHash = hashToken(refreshToken)
  const facts = { domain: instance.domain, accountId: account._id, type: type.name }
  if (state.asking !== undefined && state.asking.tokenHash === tokenHash) {
    // Whoever asked died before it could say what came of it: a provider that rotates may refuse now.
    log.warn('account.refresh_interrupted', { ...facts, since: state.asking.since })
  }
  const asking = { since: clock.now(), tokenHash }
  const asked = { ...state, asking }
  const noted = putState(instance, account._id, asked, asking.since)
  if (!(await lock.write([noted]))) throw inProgress()
  const result = await refreshTokens(services, type, refreshToken, {
    instance: instance.domain,
    ...(request.requestId !== undefined && { requestId: request.requestId }),
  })
  const sent = { ...request, loaded: { account, state: asked } }
  if (result.ok) return keepTokens(services, sent, result.tokens, tokenHash)
  log.warn('account.refresh_failed', { ...facts, class: result.class, reason: result.reason })
  const refused = { tokenHash, until: clock.now() + services.lifetimes.refusedToken }
  if (result.class !== 'revoked') return failUnlessRefused(services, sent, result, refused)
  const replaced = await replacedMeanwhile(services, sent, tokenHash, isRetry)
  return replaced ?? failAttempt(services, sent, { class: 'revoked' }, true, refused)
}

type Refused = NonNullable<RefreshState['refused']>

/** SPEC: 8.7 (4) - how often, how long and what others of the type got tells a refused token from a fault of the operator. */
async function failUnlessRefused(
  services: ConnectorsServices,
  request: AttemptRequest,
  result: Extract<TokenResult, { ok: false }>,
  refused: Refused,
): Promise<RefreshOutcome> {
  const { account, state } = request.loaded
  const now = services.clock.now()
  const failure = failureOf(result)
  const sequence = sequenceOf(account.oauth)
  const { failing } = afterFailure(state, { failure, sequence }, now)
  const seen = seenAccount(request)
  const health = await noteRefreshFailed(services, seen, result)
  const isAlone = (since: number | undefined): boolean =>
    since !== undefined && health !== undefined && failsAlone(health, seen, since)
  if (isAlone(refusedSince(failing, now))) {
    return failAttempt(services, request, { class: 'revoked' }, true, refused)
  }
  const isLost = result.class !== 'config' && isAlone(lostSince(failing, now))
  return failAttempt(services, request, failure, isLost)
}

function seenAccount({ instance, type, loaded }: AttemptRequest): SeenAccount {
  return { typeId: type.id, instance, accountId: loaded.account._id }
}

async function keepTokens(
  services: ConnectorsServices,
  request: AttemptRequest,
  tokens: TokenSet,
  sentHash: string,
): Promise<RefreshOutcome> {
  const { instance, loaded, lock } = request
  const { account, state } = loaded
  const before = account.oauth
  if (before === undefined) throw new Error('an account without tokens was refreshed')
  const now = services.clock.now()
  const owner = { instance, accountId: account._id }
  const oauth = refreshedOAuth(services, owner, before, tokens, now)
  const entry = { oauth, sentHash, sequence: sequenceOf(before) }
  const result = await saveTokens(services, { instance, account, lock, entry })
  if (result === undefined) throw new ConnectorError('account_not_found')
  const isWritten = result.account._rev !== account._rev
  const revisions = { replaced: account._rev, written: result.account._rev }
  const next = isWritten ? afterSuccess(state, revisions, now) : settled(state, now)
  await giveBack(services, request, next, isWritten)
  await noteRefreshed(services, seenAccount(request))
  return { ok: true, account: result.account }
}

async function failAttempt(
  services: ConnectorsServices,
  request: AttemptRequest,
  failure: RefreshFailure,
  isLost: boolean,
  refused?: Refused,
): Promise<RefreshOutcome> {
  const { instance, type, loaded } = request
  const { account, state } = loaded
  const now = services.clock.now()
  const sequence = sequenceOf(account.oauth)
  const next = afterFailure(state, { failure, sequence, ...(refused && { refused }) }, now)
  const marked = await markAccount(services, instance, account, {
    status: isLost ? 'reconnect_required' : 'refresh_failing',
    code: codeOf(failure.class),
  })
  await giveBack(services, request, next, false)
  await planRefresh(services, instance, { account: marked, state: next }, type)
  return { ok: false, failure, attempt: next.finished }
}

/** SPEC: 8.2.9 - a refused token that is no longer the account's says nothing about the account. */
async function replacedMeanwhile(
  services: ConnectorsServices,
  request: AttemptRequest,
  tokenHash: string,
  isRetry: boolean,
): Promise<RefreshOutcome | undefined> {
  const { instance, loaded } = request
  const now = await loadAccount(services, instance, loaded.account._id)
  if (now === undefined) throw new ConnectorError('account_not_found')
  if (sequenceOf(now.account.oauth) > sequenceOf(loaded.account.oauth)) {
    await giveBack(services, request, settled(loaded.state, services.clock.now()), false)
    return { ok: true, account: now.account }
  }
  const { refreshToken } = credentialsOf(services, instance, now.account)
  const isOther = refreshToken !== undefined && hashToken(refreshToken) !== tokenHash
  if (!isOther || isRetry) return undefined
  const renewed = { ...request, loaded: { account: now.account, state: loaded.state } }
  return attemptRefresh(services, renewed, true)
}

/** Gives the lock back, with what its next holder is to know. */
function giveBack(
  services: ConnectorsServices,
  { instance, loaded, lock }: AttemptRequest,
  state: RefreshState,
  isStored: boolean,
): Promise<void> {
  const accountId = loaded.account._id
  const put = putState(instance, accountId, state, services.clock.now())
  const entry = { op: 'delete', key: journalKey(instance, accountId) } as const
  return releaseOrLog(services, instance, accountId, lock, isStored ? [put, entry] : [put])
}

/** Ended well without a write of this attempt's own. */
function settled({ asking: _, ...state }: RefreshState, now: number): RefreshState {
  return { ...state, finished: state.finished + 1, last: { at: now } }
}

function failureOf(result: Extract<TokenResult, { ok: false }>): RefreshFailure {
  const { class: kind, reason, retryAfterS, isUnknownRefusal = false } = result
  return {
    class: kind,
    ...(retryAfterS !== undefined && { retryAfterS }),
    ...(isUnknownRefusal && { refusal: reason }),
  }
}
