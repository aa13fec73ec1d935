import type { Instance, InstanceId } from '@svc/platform'
import type { Change } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import {
  newRegisterToken,
  newSecurityStamp,
  type Owner,
  withRegisterToken,
} from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { DEFAULT_ITERATIONS, saltOf } from './derive.ts'

/** A new owner before its instance exists. */
export interface PreparedOwner {
  /** For the onboarding link; 32 hexadecimal characters, valid until the owner chose a passphrase. */
  readonly registerToken: string
  /** For `instances.create`: joins the write that creates the instance. */
  changes(id: InstanceId): readonly Change[]
}

/** @param domain - of the instance to be */
export function prepareOwner(services: AuthUiServices, domain: string): PreparedOwner {
  const registerToken = newRegisterToken()
  const owner = withRegisterToken(newOwner(services, domain), registerToken)
  return { registerToken, changes: (id) => [services.owners.create(id, owner)] }
}

/** A fresh onboarding link; the three latest stay valid. @throws AuthUiError `already_onboarded` */
export async function createOnboardingUrl(
  services: AuthUiServices,
  instance: Instance,
): Promise<string> {
  await ensureOwner(services, instance)
  const token = newRegisterToken()
  const written = await services.owners.update(instance.id, (owner) =>
    owner.onboardedAt === undefined ? withRegisterToken(owner, token) : undefined,
  )
  if (written === undefined) throw new AuthUiError('already_onboarded')
  return onboardingUrl(instance, token)
}

/** An owner whom nobody onboarded. */
export function newOwner(services: Pick<AuthUiServices, 'clock'>, domain: string): Owner {
  const now = services.clock.now()
  return {
    salt: saltOf(domain),
    kdf: 0,
    iterations: DEFAULT_ITERATIONS,
    registerTokens: [],
    securityStamp: newSecurityStamp(now),
    createdAt: now,
    updatedAt: now,
  }
}

/** For instances that were made without an owner record. */
export async function ensureOwner(services: AuthUiServices, instance: Instance): Promise<void> {
  if ((await services.owners.get(instance.id)) !== undefined) return
  // Lost to another creator: then there is one.
  await services.store.write([
    services.owners.create(instance.id, newOwner(services, instance.domain)),
  ])
}

/** The link that onboards an instance. */
export function onboardingUrl(instance: Instance, token: string): string {
  return `${instance.origin}/auth/passphrase?registerToken=${token}`
}
