import type { AccountStore } from '../../src/ports.ts'

/** A store of accounts that counts reads, and fails when it is told to. */
export interface WatchedAccounts extends AccountStore {
  readonly reads: number
  /** Writes throw until it is called again with false. */
  failWrites(isFailing: boolean): void
}

export function watchedAccounts(accounts: AccountStore): WatchedAccounts {
  let reads = 0
  let isFailing = false
  function refuse(): void {
    if (isFailing) throw new Error('the store of accounts is away')
  }
  return {
    ...accounts,
    get reads() {
      return reads
    },
    failWrites(next) {
      isFailing = next
    },
    async get(instance, id) {
      reads += 1
      return accounts.get(instance, id)
    },
    async update(instance, account, also) {
      refuse()
      return accounts.update(instance, account, also)
    },
    async create(instance, account, also) {
      refuse()
      return accounts.create(instance, account, also)
    },
  }
}
