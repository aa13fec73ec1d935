import { setTimeout as sleep } from 'node:timers/promises'
import { isOutboundError } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import type { ProviderServices } from '../services.ts'
import { type Classified, classifyAnswer, classifyFailure } from './classify.ts'
import { discover } from './discovery.ts'
import { MAX_ANSWER_BYTES, noteCall } from './provider-calls.ts'
import { loggable } from './provider-errors.ts'
import type { CallAbout, TokenResult } from './provider.ts'
import {
  type ExchangeInput,
  exchangeRequest,
  type ProviderRequest,
  refreshRequest,
} from './token-request.ts'
import type { TokenKind } from './token-set.ts'

interface Attempt extends Classified {
  readonly status?: number
  /** When a second attempt may begin. Milliseconds. */
  readonly retryMs?: number
}

const LONGEST_WAIT_S = 5
/** For a server that is being started again. */
const RECONNECT_MS = 250

const NO_ENDPOINT: TokenResult = { ok: false, class: 'config', reason: 'no_token_endpoint' }
/** What the issuer would say is needed, and it says nothing. */
const NO_METADATA: TokenResult = { ok: false, class: 'unavailable', reason: 'no_metadata' }

/** Exchanges the code that a provider's redirect brought. @see connectors.md 6 */
export async function exchangeCode(
  services: ProviderServices,
  type: AccountType,
  input: ExchangeInput,
  about?: CallAbout,
): Promise<TokenResult> {
  const endpoint = await tokenEndpointOf(services, type)
  if (endpoint === undefined) return withoutEndpoint(services, type)
  const request = exchangeRequest(type, endpoint, input)
  return callTokenEndpoint(services, type, 'exchange', request, about)
}

/** Asks for fresh tokens. @see connectors.md 6 */
export async function refreshTokens(
  services: ProviderServices,
  type: AccountType,
  refreshToken: string,
  about?: CallAbout,
): Promise<TokenResult> {
  const endpoint = type.refreshEndpoint ?? (await tokenEndpointOf(services, type))
  if (endpoint === undefined) return withoutEndpoint(services, type)
  const request = refreshRequest(type, endpoint, refreshToken)
  return callTokenEndpoint(services, type, 'refresh', request, about)
}

async function tokenEndpointOf(
  services: ProviderServices,
  type: AccountType,
): Promise<string | undefined> {
  return type.tokenEndpoint ?? (await discover(services, type))?.tokenEndpoint
}

async function withoutEndpoint(
  services: ProviderServices,
  type: AccountType,
): Promise<TokenResult> {
  const isSilent = type.issuer !== undefined && (await discover(services, type)) === undefined
  return isSilent ? NO_METADATA : NO_ENDPOINT
}

/**
 * Sends one request to a token endpoint, and once more where that cannot look like theft of a token: nothing of it was
 * sent, or the provider asks to come again within 5 s.
 * @see connectors.md 6.4
 */
async function callTokenEndpoint(
  services: ProviderServices,
  type: AccountType,
  kind: TokenKind,
  request: ProviderRequest,
  about: CallAbout | undefined,
): Promise<TokenResult> {
  const totalMs = services.lifetimes.call
  const startedAt = performance.now()
  const leftMs = (): number => totalMs - (performance.now() - startedAt)
  let attempts = 1
  let attempt = await tryOnce(services, type, kind, request, totalMs)
  if (attempt.retryMs !== undefined && leftMs() > attempt.retryMs) {
    await sleep(attempt.retryMs)
    attempts = 2
    attempt = await tryOnce(services, type, kind, request, Math.max(1, leftMs()))
  }
  const { result, status, description } = attempt
  noteCall(
    services,
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
  services: ProviderServices,
  type: AccountType,
  kind: TokenKind,
  request: ProviderRequest,
  totalMs: number,
): Promise<Attempt> {
  const { outbound, clock, lifetimes } = services
  try {
    const answer = await outbound.request(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
      isTrusted: type.isTrustedNetwork,
      maxBytes: MAX_ANSWER_BYTES,
      connectMs: lifetimes.connect,
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
