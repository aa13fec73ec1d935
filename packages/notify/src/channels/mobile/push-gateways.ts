import { createOutbound, type Outbound } from '@svc/platform'
import type { MobileOptions } from './mobile-options.ts'
import type { PushCredentialStore } from '../../ports.ts'
import { createApnsPlatform } from './apns/apns-platform.ts'
import { APNS_TOKEN } from './apns/apns-message.ts'
import { createFcmPlatform } from './fcm/fcm-platform.ts'
import { createHuaweiGateway } from './huawei/huawei-gateway.ts'
import { CALL_MS, MAX_ANSWER_BYTES } from './provider-call.ts'
import type { OutgoingPush, PushGateway, PushOutcome } from './push-gateway.ts'
import { createWebPushGateway } from './webpush/web-push-gateway.ts'
import type { NotifyLog } from '../../log/log-events.ts'

export interface PushGatewaysOptions {
  readonly mobile: MobileOptions
  /** Credentials of single apps. @defaultValue none */
  readonly credentials?: PushCredentialStore
  /** Calls to the providers that the operator names. @defaultValue one that reaches every address */
  readonly providerOutbound?: Outbound
  /** Calls to the endpoints that devices name. @defaultValue one that reaches public addresses and `trustedNetworks` */
  readonly deviceOutbound?: Outbound
  readonly clock: { now(): number }
  readonly log: NotifyLog
}

const EVERYWHERE = ['0.0.0.0/0', '::/0']
const BOUNDS = { maxBytes: MAX_ANSWER_BYTES, totalMs: CALL_MS }

/** Picks the provider by a device's platform. @see notifications.md 16.2, 16.3 */
export function createPushGateways(options: PushGatewaysOptions): PushGateway {
  const { mobile, clock, log } = options
  const trustedNetworks = mobile.trustedNetworks ?? []
  const outbound =
    options.providerOutbound ?? createOutbound({ ...BOUNDS, trustedNetworks: EVERYWHERE, log })
  const deviceOutbound =
    options.deviceOutbound ?? createOutbound({ ...BOUNDS, trustedNetworks, log })
  const parts = { store: options.credentials, outbound, clock, log }

  const fcm = createFcmPlatform({ ...parts, fcm: mobile.fcm ?? {} })
  const apns = createApnsPlatform({ ...parts, apns: mobile.apns })
  const huawei = mobile.huawei && createHuaweiGateway({ huawei: mobile.huawei, outbound, clock })
  const webpush =
    mobile.webpush &&
    createWebPushGateway({
      webpush: mobile.webpush,
      outbound: deviceOutbound,
      isTrusted: trustedNetworks.length > 0,
      clock,
    })

  async function gatewayOf(push: OutgoingPush): Promise<PushGateway | undefined> {
    switch (push.platform) {
      case 'android':
      case 'firebase':
        return fcm.gatewayOf(push)
      case 'ios':
        // SPEC: notifications.md 16.2 - over APNs when that is all there is.
        return (
          (await fcm.gatewayOf(push)) ??
          (APNS_TOKEN.test(push.token) ? apns.gatewayOf(push) : undefined)
        )
      case 'apns':
        return apns.gatewayOf(push)
      case 'huawei':
        return huawei
      case 'webpush':
        return webpush
    }
  }

  return {
    async send(push, signal) {
      const gateway = await gatewayOf(push)
      return gateway === undefined ? offOutcome(push) : gateway.send(push, signal)
    },
    async close() {
      await Promise.all([fcm.close(), apns.close()])
    },
  }
}

/** SPEC: notifications.md 16.1 (7) - nothing was delivered. */
function offOutcome({ platform }: OutgoingPush): PushOutcome {
  return { class: 'config', code: `${platform}_off` }
}
