import { CookieJar } from 'tough-cookie'
import type { Answered } from '../model/evidence.ts'
import type { Exchange, Header } from '../model/exchange.ts'
import type { Wire } from '../net/wire.ts'
import { type Form, readPage } from '../pages/html.ts'

export interface Visit {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether the page that asks is one of the same origin. @defaultValue true for what is posted */
  readonly fromPage?: boolean
}

/** A browser as far as a server can tell: it keeps cookies, says where a request comes from, and runs no script. */
export class Browser {
  readonly jar: CookieJar
  readonly #wire: Wire

  constructor(wire: Wire, jar: CookieJar = newJar()) {
    this.#wire = wire
    this.jar = jar
  }

  /** Another one with the same cookies so far. */
  async clone(): Promise<Browser> {
    return new Browser(this.#wire, await this.jar.clone())
  }

  /** Navigates, follows no redirect. @throws Error when no answer comes */
  async visit(label: string, url: string, visit: Visit = {}): Promise<Answered> {
    const { method = 'GET', headers = {}, body } = visit
    const fromPage = visit.fromPage ?? method !== 'GET'
    const cookies = await this.jar.getCookieString(url)
    const sent: Record<string, string> = {
      Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'Accept-Language': 'en',
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Contract check',
      'Sec-Fetch-Dest': 'document',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Site': fromPage ? 'same-origin' : 'none',
      ...(method !== 'GET' && method !== 'HEAD' && { Origin: new URL(url).origin }),
      ...(body !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...(cookies !== '' && { Cookie: cookies }),
      ...headers,
    }
    const exchange = await this.#wire.send(label, {
      method,
      url,
      headers: Object.entries(sent).filter(([, value]) => value !== ''),
      ...(body !== undefined && { body }),
    })
    const answered = requireAnswer(exchange)
    await this.#keep(url, answered.answer.headers)
    return answered
  }

  /** Sends a form of a page with every field it has, and these. */
  submit(
    label: string,
    page: Answered,
    fields: Readonly<Record<string, string>> = {},
    options: { readonly form?: Form; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Answered> {
    const form = options.form ?? formsOf(page)[0]
    if (form === undefined) throw new Error(`the page "${titleOf(page)}" has no form`)
    return this.visit(label, new URL(form.action, page.request.url).href, {
      method: 'POST',
      body: filled(form, fields).toString(),
      ...(options.headers !== undefined && { headers: options.headers }),
    })
  }

  async #keep(url: string, headers: readonly Header[]): Promise<void> {
    for (const [name, value] of headers) {
      if (name.toLowerCase() !== 'set-cookie') continue
      await this.jar.setCookie(value, url, { ignoreError: true })
    }
  }
}

/** Every field of a form, some with another value. */
export function filled(form: Form, fields: Readonly<Record<string, string>> = {}): URLSearchParams {
  const isSent = ({ type }: Form['fields'][number]): boolean =>
    !['submit', 'button', 'image', 'reset', 'file'].includes(type)
  const body = new URLSearchParams()
  for (const field of form.fields.filter(isSent)) body.append(field.name, field.value)
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  return body
}

/** The forms of a page that post. */
export function formsOf({ answer }: Answered): readonly Form[] {
  return readPage(answer.body).forms.filter(({ method }) => method === 'POST')
}

export function titleOf({ answer }: Answered): string {
  return readPage(answer.body).title
}

export function requireAnswer(exchange: Exchange): Answered {
  const { answer } = exchange
  if (answer === undefined) throw new Error(`${exchange.label}: ${exchange.fault ?? 'no answer'}`)
  return { ...exchange, answer }
}

function newJar(): CookieJar {
  // A server of a developer has a name such as `alice.localhost`.
  return new CookieJar(undefined, { rejectPublicSuffixes: false, allowSpecialUseDomain: true })
}
