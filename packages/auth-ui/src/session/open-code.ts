import type { Change } from '@svc/store'
import type { Instance } from '@svc/platform'
import { createValue, takeValue, type ValueKind } from '../owner/one-time-values.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'

const OPEN_CODE: ValueKind = { kind: 'open-code', form: 'alphanumeric', lifetime: 'openCode' }

/**
 * A session code of kind open: any page of the instance takes it, once. Those that are made are counted.
 * @returns 32 letters and digits
 * @throws AuthUiError `rate_limited`
 * @param also - more changes of the same write
 * @see login.md 2.3, 9.1
 */
export async function createOpenCode(
  services: Pick<AuthUiServices, 'clock' | 'lifetimes' | 'limits' | 'store'>,
  instance: Instance,
  owner: Owner,
  also: readonly Change[],
): Promise<string> {
  await services.limits.hit(instance, 'session-code')
  return createValue(services, OPEN_CODE, instance, owner, true, also)
}

/** Uses the code up; false when it was not good. */
export async function redeemOpenCode(
  services: Pick<AuthUiServices, 'store'>,
  instance: Instance,
  owner: Owner,
  code: string,
): Promise<boolean> {
  return (await takeValue<true>(services, OPEN_CODE, instance, owner, code)) !== undefined
}
