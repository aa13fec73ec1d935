import type { Instance } from '@svc/platform'
import type { Owner } from '../owner/owner.ts'

/** Passkeys of the owner as second factor. The WebAuthn challenge is derived from the two-factor token. */
export interface Passkeys {
  /** For `navigator.credentials.get`: `PublicKeyCredentialRequestOptionsJSON`; undefined without passkeys. */
  requestOptions(
    instance: Instance,
    owner: Owner,
    token: string,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
  /**
   * The owner with the used passkey's counter and time moved on, or undefined when the assertion is not right.
   * @param assertion - `AuthenticationResponseJSON` as text, from outside. Never throws for bad input.
   */
  verify(
    instance: Instance,
    owner: Owner,
    token: string,
    assertion: string,
  ): Promise<Owner | undefined>
}
