import type { Instance } from '@svc/platform'
import { createValue, findValue, takeValue, type ValueKind } from '../owner/one-time-values.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'

const EMAIL_VERIFIED_CODE: ValueKind = {
  kind: 'email-verified-code',
  form: 'alphanumeric',
  lifetime: 'emailVerifiedCode',
}

/**
 * A code that stands for the second factor, after a mail was verified elsewhere. Only the host makes them: nothing counts
 * them.
 * @see login.md 2.3
 */
export function createEmailVerifiedCode(
  services: Pick<AuthUiServices, 'clock' | 'lifetimes' | 'store'>,
  instance: Instance,
  owner: Owner,
): Promise<string> {
  return createValue(services, EMAIL_VERIFIED_CODE, instance, owner, true)
}

/** Whether the code is good now; uses nothing up. */
export async function isEmailVerifiedCode(
  services: Pick<AuthUiServices, 'store'>,
  instance: Instance,
  owner: Owner,
  code: string,
): Promise<boolean> {
  return (await findValue<true>(services, EMAIL_VERIFIED_CODE, instance, owner, code)) !== undefined
}

/** Uses the code up; false when it was not good. */
export async function redeemEmailVerifiedCode(
  services: Pick<AuthUiServices, 'store'>,
  instance: Instance,
  owner: Owner,
  code: string,
): Promise<boolean> {
  return (await takeValue<true>(services, EMAIL_VERIFIED_CODE, instance, owner, code)) !== undefined
}
