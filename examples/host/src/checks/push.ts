import { checkPushCredentials, type PushCheck } from '@svc/notify'
import type { Logger } from '@svc/platform'
import type { Config } from '../config/config.ts'
import { mobileOptions } from '../notifications/channel-options.ts'
import { type Check, fault, type Finding, ok, warning } from './check.ts'

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
    return checks.map(judge)
  },
}

const SET_CLOCK = 'Set the clock of this machine, and have it get its time from the network (NTP).'

function judge({ provider, problem, clockAheadMs = 0 }: PushCheck): Finding {
  const name = NAMES[provider]
  const distance = `${Math.round(Math.abs(clockAheadMs) / 1000)} s ${clockAheadMs > 0 ? 'ahead of' : 'behind'}`
  const isClockOff = clockAheadMs !== 0
  if (problem === undefined) {
    return isClockOff
      ? warning(`The clock of this machine is ${distance} that of ${name}.`, SET_CLOCK)
      : ok(`${name} takes our credentials.`)
  }
  const refusal = `${name} does not take our credentials: ${problem}`
  if (isClockOff)
    return fault(`${refusal}; the clock of this machine is ${distance} theirs.`, SET_CLOCK)
  return fault(
    `${refusal}.`,
    'Look at the entries SVC_NOTIFICATIONS_* of this provider, and at the file they name.',
  )
}
