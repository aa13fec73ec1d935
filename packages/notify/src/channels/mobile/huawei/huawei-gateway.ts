import type { Outbound } from '@svc/platform'
import type { HuaweiOptions } from '../mobile-options.ts'
import { type AuthorizedResult, sendAuthorized } from '../access-tokens.ts'
import { callProvider } from '../provider-call.ts'
import type { PushGateway } from '../push-gateway.ts'
import { tokenDigest } from '../outgoing-push.ts'
import { classifyHuawei } from './huawei-answer.ts'
import { toHuaweiBody } from './huawei-message.ts'
import { createHuaweiTokens } from './huawei-token.ts'

export interface HuaweiGatewayOptions {
  readonly huawei: HuaweiOptions
  readonly outbound: Outbound
  readonly clock: { now(): number }
}

/** Pushes over Huawei Push Kit. @see notifications.md 16.6 */
export function createHuaweiGateway(options: HuaweiGatewayOptions): PushGateway {
  const { huawei, outbound, clock } = options
  const tokens = createHuaweiTokens(options)
  /** Digests of the last two device tokens that worked with these credentials. */
  let worked: readonly string[] = []

  function noteWorking(token: string): void {
    const digest = tokenDigest(token)
    worked = [digest, ...worked.filter((other) => other !== digest)].slice(0, 2)
  }

  /** SPEC: D39 - with wrong credentials every token is invalid: another one must have worked with the same. */
  function classifyInvalid(token: string): AuthorizedResult {
    const digest = tokenDigest(token)
    const isTrusted = worked.some((other) => other !== digest)
    const outcome = { class: 'permanent', code: 'huawei_80300007' } as const
    return isTrusted ? { ...outcome, isTokenDead: true } : outcome
  }

  return {
    async send(push, signal) {
      const body = toHuaweiBody(push)
      if (body === undefined) return { class: 'permanent', code: 'payload_too_large' }
      const refused = { class: 'config', code: 'huawei_unauthorized' } as const
      return sendAuthorized(tokens, signal, refused, async (accessToken) => {
        const result = await callProvider(outbound, huawei.sendUrl, {
          method: 'POST',
          isRepeatable: true,
          headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
          body,
          signal,
          isTrusted: true,
        })
        if ('failure' in result) return result.failure
        const outcome = classifyHuawei(result.answer, push.token, clock.now())
        if (outcome === 'invalid_token') return classifyInvalid(push.token)
        if (outcome !== 'unauthorized' && outcome.class === 'sent') noteWorking(push.token)
        return outcome
      })
    },
  }
}
