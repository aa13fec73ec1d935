import { isOutboundError, type Outbound, type OutboundAnswer } from '@svc/platform'
import type { CustomFetchOptions } from 'oauth4webapi'
import type { AccountType } from '../account-types/account-type.ts'
import { MAX_ANSWER_BYTES } from './call-token-endpoint.ts'
import { classifyFailure } from './classify.ts'
import type { CallKind, CallLog } from './provider-calls.ts'

/** The `fetch` that oauth4webapi asks for, for documents that are public. */
export type ProviderFetch = (url: string, options: CustomFetchOptions<'GET'>) => Promise<Response>

/** Over the guarded way out, with a line in the log for each call. @see connectors.md 6.6 */
export function createProviderFetch(options: {
  readonly outbound: Outbound
  readonly calls: CallLog
  readonly connectMs: number
  readonly totalMs: number
  readonly type: AccountType
  readonly kind: CallKind
}): ProviderFetch {
  const { outbound, calls, connectMs, totalMs, type, kind } = options
  return async (url, { headers, signal }) => {
    const startedAt = performance.now()
    try {
      const answer = await outbound.request(url, {
        method: 'GET',
        headers: { ...headers, 'user-agent': 'svc-connectors' },
        isTrusted: type.isTrustedNetwork,
        maxBytes: MAX_ANSWER_BYTES,
        connectMs,
        totalMs,
        ...(signal !== undefined && { signal }),
      })
      const { status } = answer
      const isFound = status === 200
      calls.tell(type, kind, startedAt, {
        class: isFound ? 'ok' : 'invalid',
        status,
        ...(!isFound && { reason: `http_${status}` }),
      })
      return responseOf(answer)
    } catch (error) {
      if (isOutboundError(error)) {
        const { result } = classifyFailure(error)
        if (!result.ok) calls.tell(type, kind, startedAt, result)
      }
      throw error
    }
  }
}

function responseOf({ status, headers, body }: OutboundAnswer): Response {
  const contentType = headers['content-type']
  const isBodiless = status === 204 || status === 205 || status === 304
  // A Buffer's memory is never shared here; the type cannot say so.
  const content = isBodiless ? null : (body as Uint8Array<ArrayBuffer>)
  return new Response(content, {
    status,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })
}
