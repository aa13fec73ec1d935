import { readFile } from 'node:fs/promises'
import { createOutbound, type Logger, type Outbound } from '@svc/platform'
import { parseApnsFile } from './apns/apns-credentials.ts'
import { apnsFileFacts } from './apns/apns-platform.ts'
import { createFcmTokens } from './fcm/fcm-token.ts'
import { parseServiceAccount } from './fcm/service-account.ts'
import { createHuaweiTokens } from './huawei/huawei-token.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { ApnsOptions, HuaweiOptions, MobileOptions } from './mobile-options.ts'
import { CALL_MS, MAX_ANSWER_BYTES, parseJson } from './provider-call.ts'

/** Whether one provider of pushes takes the credentials that are configured for it. */
export interface PushCheck {
  readonly provider: 'apns' | 'fcm' | 'huawei'
  /** A code such as `fcm_token_400` or `unreadable`; absent when all is well. */
  readonly problem?: string
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
  const { clock } = parts
  return answered('fcm', createFcmTokens({ account, outbound: outboundOf(parts), clock }))
}

function checkHuawei(huawei: HuaweiOptions, parts: Parts): Promise<PushCheck> {
  return answered(
    'huawei',
    createHuaweiTokens({ huawei, outbound: outboundOf(parts), clock: parts.clock }),
  )
}

async function checkApns(apns: ApnsOptions): Promise<PushCheck> {
  const content = await readFile(apns.keyFile).catch(() => undefined)
  if (content === undefined) return { provider: 'apns', problem: 'unreadable' }
  const read = parseApnsFile(content, apnsFileFacts(apns))
  return 'fault' in read ? { provider: 'apns', problem: read.fault } : { provider: 'apns' }
}

async function answered(provider: 'fcm' | 'huawei', tokens: AccessTokens): Promise<PushCheck> {
  const result = await tokens.current(AbortSignal.timeout(CALL_MS))
  if ('token' in result) return { provider }
  return { provider, problem: result.failure.code ?? result.failure.class }
}

function outboundOf({ log }: Parts): Outbound {
  return createOutbound({
    maxBytes: MAX_ANSWER_BYTES,
    totalMs: CALL_MS,
    trustedNetworks: ['0.0.0.0/0', '::/0'],
    log,
  })
}
