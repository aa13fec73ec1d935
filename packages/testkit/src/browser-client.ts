import type http from 'node:http'
import { type Cookie, CookieJar } from 'tough-cookie'
import { fetchMetadata, type Initiator, sameSiteContext } from './fetch-metadata.ts'
import type { HtmlForm } from './html-form.ts'
import { loopbackAgent, type LoopbackMap, requestLoopback } from './loopback-request.ts'
import { type BrowserResponse, toResponse } from './browser-response.ts'

export interface BrowserClientOptions extends LoopbackMap {
  /** Origin that relative URLs are resolved against, e.g. `https://alice.example.com`. */
  readonly base: string
  /** Sent with every request; those of a request win. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface RequestOptions extends Initiator {
  /** Sent besides the browser's own; `undefined` removes one of those. An array repeats the header. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Sent as it is. */
  readonly body?: string | Uint8Array
  /** Sent instead of the URL's path and query, byte for byte (browsers normalize paths; attackers do not). */
  readonly target?: string
  /** What the whole exchange takes at most on a quiet machine. Milliseconds. @defaultValue `10_000` */
  readonly timeoutMs?: number
}

/** Fields of a form; an array repeats the name, `undefined` leaves it out. */
export type FormFields =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | readonly (readonly [string, string])[]

/**
 * An HTTP client that behaves like a browser without scripts: cookie rules, `Origin` and `Sec-Fetch-*` headers,
 * SameSite. It never follows a redirect by itself. Every host name is served by the loopback server; an https URL is
 * https for cookies and headers, and plain HTTP on the wire unless told otherwise.
 */
export interface BrowserClient {
  readonly base: string
  readonly jar: CookieJar
  /** A navigation, by default typed into the address bar. */
  get(url: string, options?: RequestOptions): Promise<BrowserResponse>
  /** A form submission, by default from a page of the target's origin. */
  post(url: string, form: FormFields, options?: RequestOptions): Promise<BrowserResponse>
  /** A script's `fetch` with a JSON body, by default from a page of the target's origin. */
  postJson(url: string, json: unknown, options?: RequestOptions): Promise<BrowserResponse>
  /** Any request; the defaults are those of a script's `fetch`, from a page of the target's origin. */
  request(method: string, url: string, options?: RequestOptions): Promise<BrowserResponse>
  /** Navigates where a redirect points. @throws Error when the response is none */
  follow(response: BrowserResponse, options?: RequestOptions): Promise<BrowserResponse>
  /** Sends a page's form, some fields changed, through a named button if given. */
  submit(form: HtmlForm, changes?: FormFields, button?: string): Promise<BrowserResponse>
  /** The live cookie a request to this URL would carry. */
  cookie(name: string, url?: string): Cookie | undefined
  /** Stores a cookie as if the server at this URL had set it. */
  plantCookie(setCookie: string, url?: string): void
  /** Same address, empty cookie jar: another browser. */
  another(): BrowserClient
}

/** @throws TypeError when `base` is not an absolute URL */
export function browserClient(options: BrowserClientOptions): BrowserClient {
  const base = new URL(options.base).origin
  const jar = new CookieJar(undefined, { prefixSecurity: 'silent' })
  const agent = loopbackAgent(options)

  const send = async (
    method: string,
    address: string,
    request: RequestOptions,
  ): Promise<BrowserResponse> => {
    const url = new URL(address, base)
    const siteContext = sameSiteContext(url, method, request)
    const hasCookies = request.credentials !== false
    const cookies = hasCookies ? jar.getCookieStringSync(url.href, siteContext) : ''
    const headers = merge([
      fetchMetadata(url, method, request),
      cookies === '' ? {} : { cookie: cookies },
      options.headers ?? {},
      request.headers ?? {},
    ])
    const answer = await requestLoopback(options, agent, { ...request, method, url, headers })
    const response = toResponse(url, answer)
    if (hasCookies) {
      for (const { raw } of response.setCookies) {
        jar.setCookieSync(raw, url.href, { ignoreError: true })
      }
    }
    return response
  }

  const client: BrowserClient = {
    base,
    jar,
    get: (url, request) => send('GET', url, { mode: 'navigate', ...request }),
    post: (url, form, request) =>
      send('POST', url, { mode: 'navigate', from: 'same-origin', ...withForm(form, request) }),
    postJson: (url, json, request) => send('POST', url, withJson(json, request)),
    request: (method, url, request) =>
      send(method, url, { mode: 'cors', from: 'same-origin', ...request }),
    follow: (response, request) => {
      if (response.location === undefined) {
        throw new Error(`${response.url} answered ${response.status} without Location`)
      }
      return client.get(new URL(response.location, response.url).href, request)
    },
    submit: (form, changes = {}, button) => {
      const pressed = form.buttons.find((each) => button !== undefined && each.text === button)
      if (button !== undefined && pressed === undefined) {
        const texts = form.buttons.map((each) => each.text).join(', ')
        throw new Error(`no button "${button}"; there are: ${texts}`)
      }
      const fields = changed(form.fields, changes)
      if (pressed?.name !== undefined) fields.push([pressed.name, pressed.value])
      const action = pressed?.action ?? form.action
      if (form.method !== 'GET') return client.post(action, fields)
      const url = new URL(action)
      url.search = new URLSearchParams(fields).toString()
      return client.get(url.href, { from: 'same-origin' })
    },
    cookie: (name, url = base) =>
      jar.getCookiesSync(new URL(url, base).href).find((each) => each.key === name),
    plantCookie: (setCookie, url = base) => {
      jar.setCookieSync(setCookie, new URL(url, base).href)
    },
    another: () => browserClient(options),
  }
  return client
}

function pairs(form: FormFields): [string, string][] {
  // A readonly array is not recognised by Array.isArray's type guard.
  if (Array.isArray(form)) return form.map(([name, value]) => [name, value] as [string, string])
  return Object.entries(form).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return []
    const values: readonly string[] = typeof value === 'string' ? [value] : value
    return values.map((each) => [name, each])
  })
}

function changed(fields: HtmlForm['fields'], changes: FormFields): [string, string][] {
  const names = new Set(
    Array.isArray(changes) ? changes.map((pair) => pair[0]) : Object.keys(changes),
  )
  const kept = fields.filter(([name]) => !names.has(name))
  return [...kept.map(([name, value]): [string, string] => [name, value]), ...pairs(changes)]
}

function withForm(form: FormFields, request: RequestOptions = {}): RequestOptions {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...request.headers }
  return { body: new URLSearchParams(pairs(form)).toString(), ...request, headers }
}

function withJson(json: unknown, request: RequestOptions = {}): RequestOptions {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...request.headers,
  }
  return {
    mode: 'cors',
    from: 'same-origin',
    body: JSON.stringify(json),
    ...request,
    headers,
  }
}

function merge(
  layers: readonly NonNullable<RequestOptions['headers']>[],
): http.OutgoingHttpHeaders {
  const merged = new Map<string, string | string[]>()
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer)) {
      if (value === undefined) merged.delete(name.toLowerCase())
      else merged.set(name.toLowerCase(), typeof value === 'string' ? value : [...value])
    }
  }
  return Object.fromEntries(merged)
}
