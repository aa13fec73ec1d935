import { setTimeout as sleep } from 'node:timers/promises'
import { isOutboundError, type Outbound } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import { type Classified, classifyAnswer, classifyFailure } from './classify.ts'
import type { CallLog } from './provider-calls.ts'
import { loggable } from './provider-errors.ts'
import type { CallAbout, TokenResult } from './provider.ts'
import type { ProviderRequest } from './token-request.ts'
import type { TokenKind } from './token-set.ts'

export interface TokenEndpointOptions {
  readonly outbound: Outbound
  readonly clock: { now(): number }
  readonly calls: CallLog
  /** Milliseconds, of one connection. */
  readonly connectMs: number
  /** Milliseconds, of everything: the second attempt too. */
  readonly totalMs: number
}

interface Attempt extends Classified {
  readonly status?: number
  /** When a second attempt may begin. Milliseconds. */
  readonly retryMs?: number
}

/** Bytes. @see connectors.md 6.1 (1) */
export const MAX_ANSWER_BYTES = 1_048_576
const LONGEST_WAIT_S = 5
/** For a server that is being started again. */
const RECONNECT_MS = 250

/**
 * Sends one request to a token endpoint, and once more where that cannot look like theft of a token: nothing of it was
 * sent, or the provider asks to come again within 5 s.
 * @see connectors.md 6.4
 */
export async function callTokenEndpoint(
  options: TokenEndpointOptions,
  type: AccountType,
  kind: TokenKind,
  request: ProviderRequest,
  about: CallAbout | undefined,
): Promise<TokenResult> {
  const { calls, totalMs } = options
  const startedAt = performance.now()
  const leftMs = (): number => totalMs - (performance.now() - startedAt)
  let attempts = 1
  let attempt = await tryOnce(options, type, kind, request, totalMs)
  if (attempt.retryMs !== undefined && leftMs() > attempt.retryMs) {
    await sleep(attempt.retryMs)
    attempts = 2
    attempt = await tryOnce(options, type, kind, request, Math.max(1, leftMs()))
  }
  const { result, status, description } = attempt
  calls.tell(
    type,
    kind,
    startedAt,
    {
      class: result.ok ? 'ok' : result.class,
      attempts,
      ...(status !== undefined && { status }),
      ...(!result.ok && { reason: result.reason }),
      ...(description !== undefined && { description }),
    },
    about,
    request.secrets,
  )
  return result.ok ? result : { ...result, reason: loggable(result.reason, request.secrets) }
}

async function tryOnce(
  options: TokenEndpointOptions,
  type: AccountType,
  kind: TokenKind,
  request: ProviderRequest,
  totalMs: number,
): Promise<Attempt> {
  const { outbound, clock, connectMs } = options
  try {
    const answer = await outbound.request(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
      isTrusted: type.isTrustedNetwork,
      maxBytes: MAX_ANSWER_BYTES,
      connectMs,
      totalMs,
    })
    const classified = classifyAnswer(type, kind, answer, clock.now())
    const retryMs = invitedAfter(answer.status, classified.result)
    return { ...classified, status: answer.status, ...(retryMs !== undefined && { retryMs }) }
  } catch (error) {
    if (!isOutboundError(error)) throw error
    const isUntouched = !error.isSent && error.kind !== 'refused'
    return { ...classifyFailure(error), ...(isUntouched && { retryMs: RECONNECT_MS }) }
  }
}

/** What a provider refused for good is not asked again, whatever it says. */
function invitedAfter(status: number, result: TokenResult): number | undefined {
  if (result.ok || (status !== 503 && status !== 429)) return undefined
  if (result.class !== 'limited' && result.class !== 'unavailable') return undefined
  const { retryAfterS } = result
  return retryAfterS !== undefined && retryAfterS <= LONGEST_WAIT_S ? retryAfterS * 1000 : undefined
}
