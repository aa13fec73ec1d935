import type { OutgoingPush, PushOutcome } from '../../src/channels/mobile/push-gateway.ts'
import { sampleInstance } from '../sample-instance.ts'

/** A push to an Android device. */
export function samplePush(changes: Partial<OutgoingPush> = {}): OutgoingPush {
  return {
    id: '01234567-89ab-8cde-8f01-23456789abcd',
    notificationId: '019a0000-0000-7000-8000-000000000000',
    instance: sampleInstance(),
    platform: 'android',
    token: 'device-token',
    tokenSince: 0,
    title: 'Hello',
    body: 'World',
    data: {},
    collapseHash: '0123456789abcdef0123456789abcdef',
    isCollapsible: false,
    notId: 42,
    ...changes,
  }
}

/** A signal that never fires. */
export const never = (): AbortSignal => new AbortController().signal

/** `transient http_503 7000` as an outcome, the last word `retryAfterMs`; `dead` is `permanent` of a dead token. */
export function outcomeOf(text: string): PushOutcome {
  const [ended = '', code, retryAfterMs] = text.split(' ')
  const outcome = {
    class: ended === 'dead' ? 'permanent' : ended,
    ...(code !== undefined && { code }),
    ...(retryAfterMs !== undefined && { retryAfterMs: Number(retryAfterMs) }),
    ...(ended === 'dead' && { isTokenDead: true }),
  }
  return outcome as PushOutcome // Written by the test.
}
