import type { Instance, Logger } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { acceptsRegisterToken, type Owner } from '../owner/owner.ts'
import type { HostHooks } from '../ports.ts'
import { tellHost } from '../tell-host.ts'
import type { NewPassphrase } from './new-passphrase.ts'
import type { ReplacePassphrase } from './replace-passphrase.ts'

/** Makes an instance somebody's: first passphrase, new keys, once. */
export interface Onboard {
  /**
   * @param token - a register token, or undefined on the host's own authority
   * @param access - how the owner logs in, when it is not with the passphrase alone; part of the same write
   * @throws AuthUiError `invalid_token`, `already_onboarded`, `busy`
   */
  (
    instance: Instance,
    token: string | undefined,
    passphrase: NewPassphrase,
    access?: Pick<Owner, 'magicLink' | 'passwordDefined'>,
  ): Promise<Owner>
}

/** What {@link createOnboard} needs. */
export interface OnboardOptions {
  readonly replacePassphrase: ReplacePassphrase
  readonly hooks: HostHooks
  readonly log: Logger
}

/** @see login.md 7.1 "onboarding" */
export function createOnboard({ replacePassphrase, hooks, log }: OnboardOptions): Onboard {
  return async function onboard(instance, token, passphrase, access = {}) {
    const { hint, keys } = passphrase
    const { after } = await replacePassphrase(instance, passphrase, (owner, now) => {
      if (owner === undefined) throw invalidRegisterToken()
      if (owner.onboardedAt !== undefined) throw new AuthUiError('already_onboarded')
      if (token !== undefined && !acceptsRegisterToken(owner, token)) throw invalidRegisterToken()
      return {
        ...owner,
        ...access,
        ...(hint === undefined ? {} : { hint }),
        ...(keys === undefined ? {} : { keys }),
        registerTokens: [],
        onboardedAt: now,
      }
    })
    log.info('owner.onboarded', { instance: instance.domain })
    if (keys !== undefined) {
      await tellHost(log, 'onVaultKeys', () => hooks.onVaultKeys?.({ instance, ...keys }))
    }
    await tellHost(log, 'onOnboarded', () => hooks.onOnboarded?.({ instance }))
    return after
  }
}

/** One answer for a wrong, a used and a replaced token. */
export function invalidRegisterToken(): AuthUiError {
  return new AuthUiError('invalid_token', { description: 'invalid register token' })
}
