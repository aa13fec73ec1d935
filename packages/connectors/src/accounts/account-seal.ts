import type { Instance, Logger, Sealer } from '@svc/platform'
import type { AccountCredentials, AccountDocument } from './account.ts'

/** Where a value stands: of which account, and under which clear name, such as `oauth.access_token`. */
export interface SealedPlace {
  readonly instance: Pick<Instance, 'id' | 'domain'>
  readonly accountId: string
  readonly field: string
}

/** Seals what accounts hold, each value for its one place. @see connectors.md 7.3 */
export interface AccountSeal {
  seal(place: SealedPlace, plain: string): string
  /** Undefined when it is not what was sealed for this place, or its key is gone; logged. */
  open(place: SealedPlace, sealed: string): string | undefined
  /** Under the current key; undefined when it is so already, or does not open (logged). */
  renew(place: SealedPlace, sealed: string): string | undefined
  /** Every secret of an account; never throws. */
  credentialsOf(instance: Instance, account: AccountDocument): AccountCredentials
}

const INFO = 'svc/account/v1'

/** @param namespace - prefix of doctypes (D20) */
export function createAccountSeal(options: {
  readonly sealer: Pick<Sealer, 'derive'>
  readonly namespace: string
  readonly log: Logger
}): AccountSeal {
  const { sealer, namespace, log } = options

  /** A value does not open at another account or field. */
  function aadOf({ instance, accountId, field }: SealedPlace): string {
    return `${instance.id}|${namespace}.accounts|${accountId}|${field}`
  }

  function seal(place: SealedPlace, plain: string): string {
    return sealer.derive(place.instance.id, INFO).seal(plain, aadOf(place))
  }

  function open(place: SealedPlace, sealed: string): string | undefined {
    try {
      return sealer.derive(place.instance.id, INFO).open(sealed, aadOf(place)).toString('utf8')
    } catch {
      const { instance, accountId, field } = place
      log.error('account.integrity_failed', { instance: instance.domain, accountId, field })
      return undefined
    }
  }

  function renew(place: SealedPlace, sealed: string): string | undefined {
    if (sealer.derive(place.instance.id, INFO).isCurrent(sealed)) return undefined
    const plain = open(place, sealed)
    return plain === undefined ? undefined : seal(place, plain)
  }

  function credentialsOf(instance: Instance, account: AccountDocument): AccountCredentials {
    // The host's documents may hold anything.
    const oauth: Readonly<Record<string, unknown>> = { ...account.oauth }
    let isIntact = true

    function opened(field: string, sealed: unknown): string | undefined {
      if (sealed === undefined) return undefined
      const place = { instance, accountId: account._id, field }
      // Only a text can have been sealed: anything else is as good as a broken seal.
      const plain = open(place, typeof sealed === 'string' ? sealed : '')
      if (plain === undefined) isIntact = false
      return plain
    }

    const accessToken = opened('oauth.access_token', oauth['access_token_encrypted'])
    const refreshToken = opened('oauth.refresh_token', oauth['refresh_token_encrypted'])
    const clientSecret = opened('oauth.client_secret', oauth['client_secret_encrypted'])
    const query = opened('oauth.query', oauth['query_encrypted'])
    const results = opened('oauth_callback_results', account.oauth_callback_results_encrypted)
    return {
      ...(accessToken !== undefined && { accessToken }),
      ...(refreshToken !== undefined && { refreshToken }),
      ...(clientSecret !== undefined && { clientSecret }),
      // What opens is what we sealed.
      ...(query !== undefined && { query: JSON.parse(query) as Record<string, string[]> }),
      ...(results !== undefined && {
        callbackResults: JSON.parse(results) as Record<string, unknown>,
      }),
      isIntact,
    }
  }

  return { seal, open, renew, credentialsOf }
}
