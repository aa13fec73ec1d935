import type { Instance, Sealer } from '@svc/platform'

/** What a link in a mail may switch off: mails of one category of one source. */
export interface Unsubscription {
  /** `AccessContext.owner` of the poster. */
  readonly source: string
  readonly category: string
}

/**
 * Links to end mails without logging in: sealed, so that nobody can make one, and bound to the instance. They work as
 * long as the sealing key is in the keyring, more than the 60 days that mailbox providers ask for.
 * @see notifications.md 23.3, RFC 8058
 */
export interface UnsubscribeTokens {
  make(instance: Pick<Instance, 'id'>, target: Unsubscription): string
  /** Undefined for whatever this instance did not make. */
  read(instance: Pick<Instance, 'id'>, token: string): Unsubscription | undefined
}

const AAD = 'notifications|unsubscribe'
const MAX_LENGTH = 1024

export function createUnsubscribeTokens(sealer: Sealer): UnsubscribeTokens {
  const sealerOf = ({ id }: Pick<Instance, 'id'>) => sealer.derive(id, 'svc/notify/unsubscribe')
  return {
    make: (instance, { source, category }) =>
      sealerOf(instance).seal(JSON.stringify([source, category]), AAD),
    read(instance, token) {
      if (token.length > MAX_LENGTH) return undefined
      try {
        // Only `make` seals under this name.
        const [source, category] = JSON.parse(
          sealerOf(instance).open(token, AAD).toString('utf8'),
        ) as [string, string]
        return { source, category }
      } catch {
        return undefined
      }
    },
  }
}
