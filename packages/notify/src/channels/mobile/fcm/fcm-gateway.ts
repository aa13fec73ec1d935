import type { Outbound } from '@svc/platform'
import { sendAuthorized } from '../access-tokens.ts'
import { callProvider } from '../provider-call.ts'
import type { PushGateway } from '../push-gateway.ts'
import { classifyFcm } from './fcm-answer.ts'
import { refusedNames, toFcmRequest } from './fcm-message.ts'
import { createFcmTokens } from './fcm-token.ts'
import type { ServiceAccount } from './service-account.ts'
import type { NotifyLog } from '../../../log/log-events.ts'

export const FCM_ENDPOINT = 'https://fcm.googleapis.com'

export interface FcmGatewayOptions {
  readonly account: ServiceAccount
  /** Origin, perhaps with a path. @defaultValue {@link FCM_ENDPOINT} */
  readonly endpoint?: string
  readonly outbound: Outbound
  readonly clock: { now(): number }
  readonly log: NotifyLog
}

/** Pushes over FCM HTTP v1, with one service account. @see notifications.md 16.4 */
export function createFcmGateway(options: FcmGatewayOptions): PushGateway {
  const { account, endpoint = FCM_ENDPOINT, outbound, clock, log } = options
  const tokens = createFcmTokens(options)
  const url = `${endpoint.replace(/\/+$/, '')}/v1/projects/${account.projectId}/messages:send`

  return {
    async send(push, signal) {
      const dropped = refusedNames(push.data)
      if (dropped.length > 0) {
        log.warn('push.fcm.data_dropped', { domain: push.instance.domain, count: dropped.length })
      }
      const request = toFcmRequest(push)
      if (request === undefined) return { class: 'permanent', code: 'payload_too_large' }
      const body = JSON.stringify(request)
      return sendAuthorized(tokens, signal, { class: 'config', code: 'fcm_401' }, async (token) => {
        const result = await callProvider(outbound, url, {
          method: 'POST',
          isRepeatable: true,
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body,
          signal,
          isTrusted: true,
        })
        return 'failure' in result ? result.failure : classifyFcm(result.answer, clock.now())
      })
    },
  }
}
