import type { SentRequest } from '../model/exchange.ts'

/** The run would do more than an owner can stand. */
export class BudgetError extends Error {}

export type Spent =
  | 'requests'
  | 'registrations'
  | 'wrong passphrases'
  | 'session codes'
  | 'mails'
  | 'requests to a fresh instance'

/** What a run may do at most, so that no owner is locked out of their own space. */
export const SAFE_BUDGET: Readonly<Record<Spent, number>> = {
  requests: 1500,
  registrations: 40,
  'wrong passphrases': 8,
  'session codes': 10,
  mails: 6,
  'requests to a fresh instance': 1500,
}

/** For an instance that nobody else uses. */
export const UNLIMITED: Readonly<Record<Spent, number>> = {
  requests: Infinity,
  registrations: Infinity,
  'wrong passphrases': Infinity,
  'session codes': Infinity,
  mails: Infinity,
  'requests to a fresh instance': Infinity,
}

/** Counts what a run does, and ends it before it does too much. */
export class Budget {
  readonly #limits: Readonly<Record<Spent, number>>
  readonly #spent = new Map<Spent, number>()
  #freshHost: string | undefined

  constructor(limits: Readonly<Record<Spent, number>> = SAFE_BUDGET) {
    this.#limits = limits
  }

  /** Nobody is locked out of an instance that was made for the run: only its requests are counted. */
  exempt(host: string): void {
    this.#freshHost = host
  }

  /** Counts a request by its address. @throws BudgetError */
  countRequest({ method, url }: SentRequest): void {
    const { host, pathname: path } = new URL(url)
    const fresh = this.#freshHost
    if (fresh !== undefined && (host === fresh || host.endsWith(`.${fresh}`))) {
      this.spend('requests to a fresh instance')
      return
    }
    this.spend('requests')
    const isRegistration =
      (method === 'POST' && /\/(register|registerFromWebApp|reg|challenge)$/.test(path)) ||
      (method === 'PUT' && /\/reg(ister)?\//.test(path))
    if (isRegistration) this.spend('registrations')
    if (method === 'POST' && path.endsWith('/session_code')) this.spend('session codes')
    if (method === 'POST' && /\/(passphrase_reset|hint|magic_link|resend)$/.test(path)) {
      this.spend('mails')
    }
  }

  /** @throws BudgetError when that was the last one already */
  spend(what: Spent): void {
    const count = (this.#spent.get(what) ?? 0) + 1
    if (count > this.#limits[what]) {
      throw new BudgetError(`a run makes at most ${this.#limits[what]} ${what}`)
    }
    this.#spent.set(what, count)
  }

  spent(what: Spent): number {
    return this.#spent.get(what) ?? 0
  }
}
