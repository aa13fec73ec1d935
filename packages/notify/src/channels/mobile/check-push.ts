import { readFile } from 'node:fs/promises'
import { createOutbound, type Logger, type Outbound } from '@svc/platform'
import { parseApnsFile } from './apns/apns-credentials.ts'
import { apnsFileFacts } from './apns/apns-platform.ts'
import { createFcmTokens } from './fcm/fcm-token.ts'
import { parseServiceAccount } from './fcm/service-account.ts'
import { createHuaweiTokens } from './huawei/huawei-token.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { ApnsOptions, HuaweiOptions, MobileOptions } from './mobile-options.ts'
import { CALL_MS, clockAheadMs, MAX_ANSWER_BYTES, parseJson } from './provider-call.ts'

/** Whether one provider of pushes takes the credentials that are configured for it. */
export interface PushCheck {
  readonly provider: 'apns' | 'fcm' | 'huawei'
  /** A code such as `fcm_token_400` or `unreadable`; absent when all is well. */
  readonly problem?: string
  /** How far this machine's clock is ahead of the provider's, negative: behind. Absent within a minute. */
  readonly clockAheadMs?: number
}

interface Parts {
  readonly clock: { now(): number }
  readonly log: Logger
}

/**
 * Asks each configured provider for an access token, which sends nothing. APNs has no such request: its file is read.
 * Never throws for what a provider does.
 */
export async function checkPushCredentials(
  mobile: Pick<MobileOptions, 'apns' | 'fcm' | 'huawei'>,
  parts: Parts,
): Promise<PushCheck[]> {
  const { apns, fcm, huawei } = mobile
  const checks: Promise<PushCheck>[] = []
  if (fcm?.credentialsFile !== undefined) checks.push(checkFcm(fcm.credentialsFile, parts))
  if (huawei !== undefined) checks.push(checkHuawei(huawei, parts))
  if (apns !== undefined) checks.push(checkApns(apns))
  return Promise.all(checks)
}

async function checkFcm(path: string, parts: Parts): Promise<PushCheck> {
  const content = await readFile(path).catch(() => undefined)
  if (content === undefined) return { provider: 'fcm', problem: 'unreadable' }
  const account = parseServiceAccount(parseJson(content.toString()))
  if (account === undefined) return { provider: 'fcm', problem: 'malformed' }
  return answered('fcm', parts, (given) => createFcmTokens({ account, ...given }))
}

function checkHuawei(huawei: HuaweiOptions, parts: Parts): Promise<PushCheck> {
  return answered('huawei', parts, (given) => createHuaweiTokens({ huawei, ...given }))
}

async function checkApns(apns: ApnsOptions): Promise<PushCheck> {
  const content = await readFile(apns.keyFile).catch(() => undefined)
  if (content === undefined) return { provider: 'apns', problem: 'unreadable' }
  const read = parseApnsFile(content, apnsFileFacts(apns))
  return 'fault' in read ? { provider: 'apns', problem: read.fault } : { provider: 'apns' }
}

async function answered(
  provider: 'fcm' | 'huawei',
  parts: Parts,
  createTokens: (given: Pick<Parts, 'clock'> & { readonly outbound: Outbound }) => AccessTokens,
): Promise<PushCheck> {
  const { clock } = parts
  const calls = outboundOf(parts)
  let aheadMs = 0
  const outbound: Outbound = {
    async request(...call) {
      const answer = await calls.request(...call)
      aheadMs = clockAheadMs(answer.headers, clock.now())
      return answer
    },
  }
  const result = await createTokens({ outbound, clock }).current(AbortSignal.timeout(CALL_MS))
  return {
    provider,
    ...('failure' in result && { problem: result.failure.code ?? result.failure.class }),
    ...(aheadMs !== 0 && { clockAheadMs: aheadMs }),
  }
}

function outboundOf({ log }: Parts): Outbound {
  return createOutbound({
    maxBytes: MAX_ANSWER_BYTES,
    totalMs: CALL_MS,
    trustedNetworks: ['0.0.0.0/0', '::/0'],
    log,
  })
}
