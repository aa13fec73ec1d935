import type { SentRequest } from '../model/exchange.ts'

/** Nothing was sent. */
export class NotSent extends Error {}

/** The run would do more than an owner can stand. */
export class BudgetError extends NotSent {}

export type Spent =
  | 'requests'
  | 'registrations'
  | 'wrong passphrases'
  | 'passcodes'
  | 'session codes'
  | 'mails'
  | 'requests to a fresh instance'

/** What a run may do at most, so that no owner is locked out of their own space. */
export const SAFE_BUDGET: Readonly<Record<Spent, number>> = {
  requests: 1500,
  registrations: 48,
  'wrong passphrases': 8,
  passcodes: 4,
  'session codes': 10,
  mails: 6,
  'requests to a fresh instance': 1500,
}

/** For an instance that nobody else uses. */
export const UNLIMITED: Readonly<Record<Spent, number>> = {
  requests: Infinity,
  registrations: Infinity,
  'wrong passphrases': Infinity,
  passcodes: Infinity,
  'session codes': Infinity,
  mails: Infinity,
  'requests to a fresh instance': Infinity,
}

/** Fields and members that carry a passphrase of the owner, or a code that was mailed. */
const PASSPHRASES: readonly string[] = ['passphrase', 'current_passphrase']
const PASSCODES: readonly string[] = [
  'two-factor-passcode',
  'two_factor_passcode',
  'two_factor_activation_code',
]

/** Counts what a run does, and ends it before it does too much. */
export class Budget {
  readonly #limits: Readonly<Record<Spent, number>>
  readonly #spent = new Map<Spent, number>()
  readonly #right = new Set<string>()
  #freshHost: string | undefined

  constructor(limits: Readonly<Record<Spent, number>> = SAFE_BUDGET) {
    this.#limits = limits
  }

  /** Nobody is locked out of an instance that was made for the run: only its requests are counted. */
  exempt(host: string): void {
    this.#freshHost = host
  }

  /** What a right passphrase is sent as. */
  knowRight(value: string): void {
    this.#right.add(value)
  }

  /** Counts a request by its address, and by the passphrases that it carries. @throws BudgetError */
  countRequest(request: SentRequest): void {
    const { method, url } = request
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
    if (method !== 'GET') this.#countGuesses(request, path)
    if (method === 'POST' && /\/(passphrase_reset|hint|magic_link|resend)$/.test(path)) {
      this.spend('mails')
    }
  }

  /** Whatever is not known to be right is a guess; a passcode always, since nobody knows it before it is sent. */
  #countGuesses({ body = '' }: SentRequest, path: string): void {
    const fields = fieldsOf(body)
    const isGuess = PASSPHRASES.some((name) =>
      fields.some(([field, value]) => field === name && value !== '' && !this.#right.has(value)),
    )
    if (isGuess) this.spend('wrong passphrases')
    const isPasscode = fields.some(([field, value]) => PASSCODES.includes(field) && value !== '')
    if (isPasscode || path.endsWith('/twofactor')) this.spend('passcodes')
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

/** Fields of a form, or members of a JSON object. */
function fieldsOf(body: string): readonly (readonly [string, string])[] {
  if (!body.startsWith('{')) return [...new URLSearchParams(body)]
  try {
    const value = JSON.parse(body) as Readonly<Record<string, unknown>> // an object, by how it begins
    return Object.entries(value).flatMap(([name, one]) =>
      typeof one === 'string' ? [[name, one] as const] : [],
    )
  } catch {
    return []
  }
}
