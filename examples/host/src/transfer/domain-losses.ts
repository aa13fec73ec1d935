import type { FoundRecord } from '@svc/platform'

/** What does not work any more when an instance gets another domain. */
export interface DomainLoss {
  readonly what:
    | 'access tokens'
    | 'connected accounts'
    | 'linked apps'
    | 'passkeys'
    | 'sessions'
    | 'web push'
  readonly count: number
  /** What it means for the owner. */
  readonly meaning: string
}

interface OwnerValue {
  readonly factors?: {
    readonly mail?: object
    readonly totp?: object
    readonly passkeys?: readonly object[]
    readonly passkeyAfterPassphrase?: boolean
    readonly recovery?: { readonly hashes: readonly string[] }
  }
}

interface ClientValue {
  readonly metadata: {
    readonly software_id: string
    readonly notification_platform?: string
  }
}

/** Looks through an export for what hangs on its domain. @see operation.md 4.3.7 */
export class DomainLosses {
  readonly #counts = { sessions: 0, clients: 0, linked: 0, webPush: 0, accounts: 0 }
  #owner: OwnerValue = {}

  readonly #accountType: string

  /** @param accountType - of documents that are accounts */
  constructor(accountType: string) {
    this.#accountType = accountType
  }

  /** Values are as the schemas of their kinds have them: the import has held them against these. */
  examine({ kind, value }: Omit<FoundRecord, 'revision'>): void {
    const counts = this.#counts
    if (kind === 'session') counts.sessions += 1
    if (kind === 'owner') this.#owner = value as OwnerValue
    if (kind === 'account') counts.accounts += 1
    if (kind === 'document' && (value as { readonly type: string }).type === this.#accountType) {
      counts.accounts += 1
    }
    if (kind !== 'client') return
    const { metadata } = value as unknown as ClientValue
    counts.clients += 1
    if (metadata.software_id.startsWith('registry://')) counts.linked += 1
    if (metadata.notification_platform === 'web') counts.webPush += 1
  }

  /** Whether the owner could not log in any more: passkeys are of one domain. */
  get locksOut(): boolean {
    const { mail, totp, passkeys = [], recovery, ...asked } = this.#owner.factors ?? {}
    // The passphrase alone is enough where passkeys are not asked for after it.
    if (asked.passkeyAfterPassphrase === false) return false
    const hasOther = mail !== undefined || totp !== undefined
    return passkeys.length > 0 && !hasOther && (recovery?.hashes.length ?? 0) === 0
  }

  list(): readonly DomainLoss[] {
    const { sessions, clients, linked, webPush, accounts } = this.#counts
    const passkeys = this.#owner.factors?.passkeys?.length ?? 0
    const all: readonly DomainLoss[] = [
      { what: 'sessions', count: sessions, meaning: 'browsers have to log in again' },
      { what: 'access tokens', count: clients, meaning: 'apps get new ones from the new address' },
      { what: 'passkeys', count: passkeys, meaning: 'they work on the old domain only' },
      { what: 'web push', count: webPush, meaning: 'browsers have to subscribe again' },
      { what: 'linked apps', count: linked, meaning: 'their redirect URIs name the old domain' },
      {
        what: 'connected accounts',
        count: accounts,
        meaning: 'providers know the redirect URI of the old domain',
      },
    ]
    return all.filter(({ count }) => count > 0)
  }
}
