import { EXIT_CODES } from '../exit-codes.ts'
import type { Logger } from '@svc/platform'
import type { Config } from '../config/config.ts'
import { type KeySource, proveSealingKeys } from '../storage/sealing-keys.ts'
import { accountTypesWork } from './account-types.ts'
import { backupAge } from './backup.ts'
import {
  type Check,
  type CheckContext,
  type CheckResult,
  fault,
  ok,
  runChecks,
  type Site,
} from './check.ts'
import { devPages } from './dev-pages.ts'
import { FILE_CHECKS } from './files.ts'
import { MAIL_DNS_CHECKS, mailUnset, smtpVerify } from './mail.ts'
import { DNS_CHECKS, type Names } from './names.ts'
import { checkNodeVersion } from './node-version.ts'
import { OUTSIDE_CHECKS, type OutsideContext } from './outside.ts'
import { processesAlike } from './processes.ts'
import { pushCredentials } from './push.ts'
import { clockRedis, REDIS_CHECKS } from './redis.ts'
import { storeVersion } from './store-version.ts'

/** What the checks of an installation ask, from within. */
export interface DoctorContext extends CheckContext {
  readonly log: Logger
  readonly names: Names
  readonly keys?: KeySource
}

/** What the checks from outside ask. */
export interface FrontContext extends OutsideContext {
  readonly config: Pick<Config, 'subdomains' | 'tls' | 'trustProxy'>
  readonly names: Names
}

/** What a running server answers to `svc doctor`. */
export interface DoctorAnswer {
  readonly checks: readonly CheckResult[]
  readonly sites: readonly Site[]
}

const nodeVersion: Check<DoctorContext> = {
  id: 'node.version',
  when: 'start',
  run: () => [checkNodeVersion()],
}

/** Whether the keys open what the store holds. @see operation.md 2.2 */
const keysOpen: Check<DoctorContext> = {
  id: 'keys.open',
  when: 'start',
  async run({ keys, store, clock }) {
    if (keys === undefined || store === undefined) return []
    try {
      await proveSealingKeys(keys, { store, clock })
      return [ok('The sealing keys open what the store holds.')]
    } catch (error) {
      return [fault((error as Error).message, 'Put the key back where it was configured.')]
    }
  },
}

/** Everything that the server, or the command in its place, looks at by itself. */
export const INSIDE_CHECKS: readonly Check<DoctorContext>[] = [
  nodeVersion,
  ...FILE_CHECKS,
  storeVersion,
  keysOpen,
  clockRedis,
  ...REDIS_CHECKS,
  mailUnset(true),
  smtpVerify,
  ...MAIL_DNS_CHECKS,
  pushCredentials,
  accountTypesWork,
  backupAge,
  processesAlike,
  devPages,
]

/** Runs the checks from within. */
export function examineInside(context: DoctorContext, isOffline: boolean): Promise<CheckResult[]> {
  return runChecks(
    INSIDE_CHECKS.filter(({ isNetwork }) => !(isOffline && isNetwork === true)),
    context,
  )
}

/** Runs those from outside, as a visitor would come. */
export function examineOutside(context: FrontContext): Promise<CheckResult[]> {
  const checks: readonly Check<FrontContext>[] = [...DNS_CHECKS, ...OUTSIDE_CHECKS]
  return runChecks(checks, context)
}

/** 2 for faults; warnings alone are 0. */
export function exitCodeOf(results: readonly CheckResult[]): 0 | 2 {
  return results.some(({ state }) => state === 'fault') ? EXIT_CODES.doctor.fault : 0
}
