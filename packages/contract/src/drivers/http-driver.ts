import { header } from '../model/expect.ts'
import type { Answered } from '../model/evidence.ts'
import type { Profile } from '../model/profile.ts'
import type { Budget } from '../net/budget.ts'
import { learnFrom } from '../net/learn.ts'
import type { Secrets } from '../net/secrets.ts'
import { Slots } from '../net/slots.ts'
import { readPage } from '../pages/html.ts'
import { loginValue } from '../pages/login-value.ts'
import { type Browser, formsOf, titleOf } from './browser.ts'
import type { Choice, Consent, Driver } from './driver.ts'

export interface HttpDriverOptions {
  readonly base: URL
  readonly profile: Profile
  /** Absent when the owner came with a session: what needs it is not asked then. */
  readonly passphrase?: string
  readonly secrets: Secrets
  /** Is told what a right passphrase looks like on its way: any other one counts as wrong. */
  readonly budget?: Budget
}

const HOPS = 10
/** Characters of a page that are shown where it stops a run. */
const LONGEST_COPY = 4000

/** Uses the pages as a browser without script would, except that it derives what a passphrase field carries. */
export class HttpDriver implements Driver {
  readonly #options: HttpDriverOptions
  /** Where pages log in on the way, two questions at a time would each ask for the login. */
  readonly #turns = new Slots(1)

  #passphrase: string | undefined

  constructor(options: HttpDriverOptions) {
    this.#options = options
    this.#passphrase = options.passphrase
  }

  /** The owner has another passphrase from now on. */
  usePassphrase(passphrase: string): void {
    this.#options.secrets.learn('passphrase', passphrase)
    this.#passphrase = passphrase
  }

  async login(label: string, browser: Browser): Promise<void> {
    const page = await browser.visit(
      `${label}.form`,
      new URL('/auth/login', this.#options.base).href,
    )
    const fields = await this.passphraseFields(page)
    const answer = await browser.submit(`${label}.submit`, page, fields, {
      form: passphraseForm(page),
    })
    if (answer.answer.status !== 302) throw this.#stop('the login was refused', answer)
  }

  consent(label: string, browser: Browser, url: string, choice: Choice): Promise<Consent> {
    const ask = () => this.#consent(label, browser, url, choice)
    return this.#options.profile.has.includes('pages') ? ask() : this.#turns.run(ask)
  }

  async #consent(label: string, browser: Browser, url: string, choice: Choice): Promise<Consent> {
    let answer = await browser.visit(`${label}.page`, url)
    for (let hop = 0; hop < HOPS; hop++) {
      const location = header(answer, 'location')
      if (location !== undefined) {
        const target = new URL(location, answer.request.url).href
        if (!target.startsWith(`${this.#options.base.origin}/`)) return { location }
        answer = await browser.visit(`${label}.hop`, target)
        continue
      }
      const form = formsOf(answer)[0]
      if (form === undefined) throw this.#stop('a page has no form', answer)
      const asks = form.fields.some(({ type }) => type === 'password')
      if (!asks && choice === 'refuse') {
        const link = readPage(answer.answer.body).links.find((one) => one.includes('error='))
        if (link === undefined) throw this.#stop('a page has no way to refuse', answer)
        return { location: link }
      }
      const fields = asks ? await this.passphraseFields(answer) : {}
      answer = await browser.submit(`${label}.submit`, answer, fields)
    }
    throw this.#stop('the pages lead in a circle', answer)
  }

  async confirm(label: string, browser: Browser, url: string): Promise<string> {
    const page = await browser.visit(`${label}.page`, url)
    if (formsOf(page).length === 0) throw this.#stop('the confirmation page has no form', page)
    const answer = await browser.submit(`${label}.confirm`, page, await this.passphraseFields(page))
    const location = header(answer, 'location')
    if (location === undefined) throw this.#stop('the confirmation leads nowhere', answer)
    return new URL(location, url).href
  }

  async appToken(label: string, browser: Browser, slug: string): Promise<string> {
    const page = await browser.visit(label, this.appUrl(slug))
    const token = readPage(page.answer.body).data[this.#options.profile.tokenAttribute]
    if (token === undefined || token === '') throw this.#stop(`the app ${slug} has no token`, page)
    return token
  }

  /** Nothing is open. */
  async close(): Promise<void> {}

  get tokenAttribute(): string {
    return this.#options.profile.tokenAttribute
  }

  /** Whether a host is one of an app of the instance. */
  isAppHost(hostname: string): boolean {
    const [first = '', ...rest] = hostname.split('.')
    return this.#options.profile.subdomains === 'nested'
      ? rest.join('.') === this.#options.base.hostname
      : new URL(this.appUrl(first.split('-').slice(1).join('-'))).hostname === hostname
  }

  appUrl(slug: string): string {
    const { base, profile } = this.#options
    const url = new URL(base)
    const [first = '', ...rest] = url.hostname.split('.')
    url.hostname =
      profile.subdomains === 'nested'
        ? `${slug}.${url.hostname}`
        : [`${first}-${slug}`, ...rest].join('.')
    return url.href
  }

  /** The password field of a page, filled for the owner. @param passphrase - another one than the owner's */
  async passphraseFields(
    page: Answered,
    passphrase: string | undefined = this.#passphrase,
  ): Promise<Record<string, string>> {
    if (passphrase === undefined) throw this.#stop('a page asks the passphrase', page)
    const form = passphraseForm(page)
    const field = form?.fields.find(({ type }) => type === 'password')
    if (form === undefined || field === undefined) throw this.#stop('a page asks nothing', page)
    const salt = form.attributes['data-salt']
    // Where a passphrase is chosen, the number is posted along; servers may leave it to the script.
    const chosen = form.fields.find(({ name }) => name === 'iterations')
    const iterations = Number(form.attributes['data-iterations'] ?? chosen?.value)
    const isDerived = salt !== undefined && Number.isInteger(iterations) && iterations > 0
    const value = isDerived ? await loginValue(passphrase, salt, iterations) : passphrase
    this.#options.secrets.learn('login_value', value)
    if (passphrase === this.#passphrase) this.#options.budget?.knowRight(value)
    // Development pages ask for a name beside the password.
    const name = form.fields.find(({ type }) => type === 'text')
    return {
      [field.name]: value,
      ...(isDerived && chosen !== undefined && { iterations: String(iterations) }),
      ...(name !== undefined && { [name.name]: 'owner' }),
    }
  }

  /** What went wrong, with the title of the page and a copy of it without secrets. */
  stopAt(label: string, what: string, page: string): Error {
    const { secrets, base } = this.#options
    const headers = [['content-type', 'text/html']] as const
    // What the page shows is a secret before anybody has used it.
    learnFrom(secrets, {
      label,
      at: 0,
      ms: 0,
      request: { method: 'GET', url: base.href, headers: [] },
      answer: { status: 200, headers, body: page },
    })
    const { title } = readPage(page)
    // It is cut after that: half a secret is not known to be one.
    const whole = secrets.redact(page)
    const copy = whole.length > LONGEST_COPY ? `${whole.slice(0, LONGEST_COPY)}…` : whole
    return new Error(`${secrets.redact(`${label}: ${what}, page "${title}"`)}\n${copy}`)
  }

  #stop(what: string, { label, answer }: Answered): Error {
    return this.stopAt(label, `${what} (${answer.status})`, answer.body)
  }
}

function passphraseForm(page: Answered): ReturnType<typeof formsOf>[number] {
  const forms = formsOf(page)
  const form =
    forms.find(({ fields }) => fields.some(({ type }) => type === 'password')) ?? forms[0]
  if (form === undefined) throw new Error(`${page.label}: the page "${titleOf(page)}" has no form`)
  return form
}
