import { checkPushCredentials } from '@svc/notify'
import type { Logger } from '@svc/platform'
import type { Config } from '../config/config.ts'
import { mobileOptions } from '../notifications/channel-options.ts'
import { type Check, fault, ok } from './check.ts'

const NAMES = { apns: 'APNs', fcm: 'FCM', huawei: 'Huawei Push Kit' } as const

/** What the check of push providers asks. */
export interface PushContext {
  readonly config: Pick<Config, 'notifications'>
  readonly clock: { now(): number }
  readonly log: Logger
}

/** Whether each configured provider takes our credentials. */
export const pushCredentials: Check<PushContext> = {
  id: 'push.credentials',
  when: 'doctor',
  isNetwork: true,
  async run({ config, clock, log }) {
    const checks = await checkPushCredentials(mobileOptions(config.notifications), { clock, log })
    return checks.map(({ provider, problem }) =>
      problem === undefined
        ? ok(`${NAMES[provider]} takes our credentials.`)
        : fault(
            `${NAMES[provider]} does not take our credentials: ${problem}.`,
            'Look at the entries SVC_NOTIFICATIONS_* of this provider, and at the file they name.',
          ),
    )
  },
}
