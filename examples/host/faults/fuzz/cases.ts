import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Route } from './routes.ts'

/** One request, as bytes of a path, headers and a body. */
export interface FuzzCase {
  readonly route: string
  readonly method: string
  readonly host: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body: string
  /** A word that no honest page has; nothing of it may come back as markup, target or header. */
  readonly mark: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly tookMs: number
}

/** Tokens, ids and cookies that are good, so that requests get past the first refusal. */
export interface Pool {
  readonly domain: string
  readonly tokens: readonly string[]
  readonly cookie: string
  readonly values: readonly string[]
}

type Random = () => number

const pick = <Item>(random: Random, items: readonly Item[], fallback: Item): Item =>
  items[Math.floor(random() * items.length)] ?? fallback

/** Texts that have broken servers. `MARK` becomes the word of the case. */
const NASTY: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  'null',
  'true',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '%',
  '%zz',
  '%00',
  '%ff%fe',
  '%ed%a0%80',
  'é',
  '\u202e\u0000',
  '😀'.repeat(40),
  'a'.repeat(300),
  'a'.repeat(5000),
  '<script>MARK</script>',
  '"><img src=x onerror=MARK>',
  "'-MARK-'",
  '{{MARK}}',
  'javascript:MARK',
  '//MARK.example/',
  '/\\MARK.example',
  'https://MARK.example/',
  'https://alice.example.com@MARK.example/',
  '\r\nX-MARK: 1',
  '%0d%0aX-MARK:%201',
  'io.svc.notes',
  'settings/#/x',
  '[object Object]',
  '9'.repeat(30),
]

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND']
const TYPES = [
  'application/json',
  'application/vnd.api+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/json; charset=utf-16',
  '',
]
const NAMES = ['accept', 'origin', 'referer', 'sec-fetch-site', 'sec-fetch-mode', 'if-none-match']
const MORE = ['x-forwarded-for', 'x-forwarded-host', 'range', 'idempotency-key', 'accept-language']

/** Makes a request of a route out of good and bad parts. */
export function makeCase(random: Random, routes: readonly Route[], pool: Pool): FuzzCase {
  const route = routes[Math.floor(random() * routes.length)]
  if (route === undefined) throw new Error('there are no routes')
  const mark = `zq${Math.floor(random() * 2 ** 40).toString(36)}`
  const text = (): string =>
    random() < 0.4
      ? pick(random, pool.values, 'x')
      : pick(random, NASTY, '').replaceAll('MARK', mark)
  const segment = (): string => {
    const value = text()
    return random() < 0.5 ? encodeURIComponent(value.toWellFormed()) : plain(value)
  }
  const path = route.path.replace(/\{\w+\}/g, () => segment() || 'x')
  const query = Array.from({ length: Math.floor(random() * 4) }, () => {
    const name = random() < 0.8 ? pick(random, route.names, 'redirect') : plain(text())
    return `${name}${random() < 0.1 ? '[]' : ''}=${segment()}`
  }).join('&')
  const method = random() < 0.85 ? route.method : pick(random, METHODS, 'GET')
  const body = method === 'GET' || method === 'HEAD' ? undefined : makeBody(random, route, text)
  return {
    route: `${route.method} ${route.path}`,
    method,
    host:
      random() < 0.95
        ? pool.domain
        : pick(random, ['x', '', 'settings.alice.example.com', `${mark}.example`], ''),
    path: `${path}${query === '' ? '' : `?${query}`}`,
    headers: makeHeaders(random, pool, body?.type, text),
    body: body?.text ?? '',
    mark,
  }
}

function makeBody(
  random: Random,
  route: Route,
  text: () => string,
): { readonly type: string; readonly text: string } {
  const type = random() < 0.8 ? route.type : pick(random, TYPES, '')
  const value = (depth: number): unknown => {
    const kind = random()
    if (kind < 0.6 || depth > 3) return text()
    if (kind < 0.7) return [value(depth + 1), value(depth + 1)]
    if (kind < 0.8) return { [text() || 'a']: value(depth + 1) }
    return pick<unknown>(random, [null, true, -1, 1.5, 1e308, [], {}], null)
  }
  const fields = Object.fromEntries(
    Array.from({ length: 1 + Math.floor(random() * 5) }, () => [
      random() < 0.85 ? pick(random, route.names, 'a') : text(),
      value(0),
    ]),
  )
  if (type.includes('json')) {
    const whole = route.path.startsWith('/notifications')
      ? { data: { attributes: fields } }
      : fields
    const json = JSON.stringify(whole)
    return { type, text: random() < 0.1 ? json.slice(0, Math.floor(random() * json.length)) : json }
  }
  const pairs = Object.entries(fields).map(([name, each]) => [
    name,
    typeof each === 'string' ? each : JSON.stringify(each),
  ])
  const form = random() < 0.9 ? new URLSearchParams(pairs).toString() : text()
  return { type, text: random() < 0.02 ? form.padEnd(200_000, 'a') : form }
}

function makeHeaders(
  random: Random,
  pool: Pool,
  type: string | undefined,
  text: () => string,
): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  if (type !== undefined && type !== '') headers['content-type'] = type
  if (random() < 0.6) {
    const token = random() < 0.85 ? pick(random, pool.tokens, '') : plain(text())
    headers['authorization'] = random() < 0.9 ? `Bearer ${token}` : `Basic ${token}`
  }
  if (random() < 0.6) headers['cookie'] = pool.cookie
  if (random() < 0.5) headers['accept'] = pick(random, ['text/html', 'application/json'], '')
  if (random() < 0.3) headers['origin'] = `https://${pool.domain}`
  for (const name of [...NAMES, ...MORE]) if (random() < 0.04) headers[name] = plain(text())
  return headers
}

/** What Node lets through as a header or a path: visible bytes of Latin-1. */
function plain(value: string): string {
  return value.replace(/[^!-~]/g, '')
}

/** What is wrong with an answer. */
export function faultsOf(sent: FuzzCase, answer: Answer, limitMs: number): readonly string[] {
  const { status, headers, text, tookMs } = answer
  const faults: string[] = []
  // 502 and 504 are of a provider, at the routes that declare them; this server knows none that fails.
  if (status >= 500 && status !== 503 && !(status === 501 && sent.method === 'TRACE')) {
    faults.push(`answered ${status}`)
  }
  if (tookMs > limitMs) faults.push(`took ${Math.round(tookMs)} ms`)
  const type = String(headers['content-type'] ?? '')
  const { mark } = sent
  if (type.includes('html')) {
    const markup = [
      `<script>${mark}`,
      `onerror=${mark}>`,
      `{{${mark}}}<`,
      `href="javascript:${mark}`,
    ]
    if (markup.some((each) => text.includes(each))) faults.push('reflects markup')
  }
  const location = String(headers['location'] ?? '')
  if (location !== '' && leadsAway(location, sent, mark)) faults.push(`redirects to ${location}`)
  for (const [name, value] of Object.entries(headers)) {
    if (name.includes(mark)) faults.push(`has a header ${name}`)
    if (name === 'access-control-allow-origin' && String(value).includes(mark)) {
      if (headers['access-control-allow-credentials'] !== undefined)
        faults.push('lets a stranger in')
    }
  }
  return faults
}

function leadsAway(location: string, { host }: FuzzCase, mark: string): boolean {
  const base = `https://${host === '' ? 'x' : host}`
  if (!URL.canParse(location, base)) return true
  const { hostname, protocol } = new URL(location, base)
  return protocol === 'javascript:' || (hostname.includes(mark) && !host.includes(mark))
}
