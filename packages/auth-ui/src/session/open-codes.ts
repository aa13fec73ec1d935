import type { Instance } from '@svc/platform'
import type { Owner } from '../owner/owner.ts'

/** Session codes of kind open: any page of the instance takes them, once. @see login.md 2.3, 9.1 */
export interface OpenCodes {
  /** @returns 32 letters and digits @throws AuthUiError `rate_limited` */
  create(instance: Instance, owner: Owner): Promise<string>
  /** Uses the code up; false when it was not good. */
  redeem(instance: Instance, owner: Owner, code: string): Promise<boolean>
}

/** Codes that stand for the second factor, after a mail was verified elsewhere. @see login.md 2.3 */
export interface EmailVerifiedCodes {
  create(instance: Instance, owner: Owner): Promise<string>
  /** Whether the code is good now; uses nothing up. */
  isGood(instance: Instance, owner: Owner, code: string): Promise<boolean>
  /** Uses the code up; false when it was not good. */
  redeem(instance: Instance, owner: Owner, code: string): Promise<boolean>
}
