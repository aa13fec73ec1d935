import { isOutboundError } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import type { ProviderServices } from '../services.ts'
import { classifyFailure } from './classify.ts'
import { discover } from './discovery.ts'
import { type CallOutcome, MAX_ANSWER_BYTES, noteCall } from './provider-calls.ts'
import type { CallAbout } from './provider.ts'
import { revocationRequest } from './token-request.ts'

/** @see connectors.md 4.9 (2) */
export const REVOCATION_MS = 5000

/**
 * Tells a provider that a token is not needed any more. Best effort within 5 s; never rejects.
 * @see RFC 7009
 */
export async function revokeToken(
  services: ProviderServices,
  type: AccountType,
  token: string,
  hint: 'refresh_token' | 'access_token',
  about?: CallAbout,
): Promise<void> {
  const startedAt = performance.now()
  const signal = AbortSignal.timeout(REVOCATION_MS)
  let outcome: CallOutcome
  let secrets: readonly string[] = [token]
  try {
    const endpoint = await orAbort(endpointOf(services, type), signal)
    if (endpoint === undefined) return
    const request = revocationRequest(type, endpoint, token, hint)
    secrets = request.secrets
    const { status } = await services.outbound.request(request.url, {
      method: request.method,
      headers: request.headers,
      ...(request.body !== undefined && { body: request.body }),
      isTrusted: type.isTrustedNetwork,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    })
    const isDone = status >= 200 && status < 300
    outcome = isDone
      ? { class: 'ok', status }
      : { class: 'error', status, reason: `http_${status}` }
  } catch (error) {
    outcome = failureOf(error, signal)
  }
  noteCall(services, type, 'revoke', startedAt, outcome, about, secrets)
}

/** The type's own, or the one its issuer names. */
async function endpointOf(
  services: ProviderServices,
  type: AccountType,
): Promise<string | undefined> {
  return type.revocationEndpoint ?? (await discover(services, type))?.revocationEndpoint
}

function failureOf(error: unknown, signal: AbortSignal): CallOutcome {
  if (signal.aborted) return { class: 'timeout', reason: 'timeout' }
  const classified = isOutboundError(error) ? classifyFailure(error).result : undefined
  return classified?.ok === false ? classified : { class: 'error', reason: 'unexpected' }
}

function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}
