import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Exchange, Report } from '@svc/contract'

const DOCS = path.resolve(import.meta.dirname, '../../../../docs')

/** The examples that the documents show. */
export const EXAMPLES_FILE: string = path.join(DOCS, 'reference/http-examples.json')

/** A request to an endpoint and its answer, as a run of the contract had them; without secrets and what is new each time. */
export interface HttpExample {
  readonly method: string
  /** Of the row, such as `/auth/register/{clientId}`. */
  readonly path: string
  readonly request: {
    /** Path and query. */
    readonly target: string
    readonly headers: readonly string[]
    readonly body?: string
  }
  readonly answer: {
    readonly status: number
    readonly headers: readonly string[]
    /** JSON; a page is left out. */
    readonly body?: string
  }
}

const REQUEST_HEADERS = /^(?:accept|content-type|authorization|cookie|origin|idempotency-key)$/i
const ANSWER_HEADERS = /^(?:content-type|location|set-cookie|retry-after|etag)$/i
/**
 * Exchanges that show more than those with a shorter name, or the same in every run: whether the owner allows a client
 * for the first time, which the page of a client that scenarios share shows, depends on their order.
 */
const TELLING: ReadonlySet<string> = new Set([
  'crt.direct',
  'mgt.put.secret',
  'tok.race.code.submit',
])
/** Lists are as long as the run has been. */
const MOST_ITEMS = 2

/** What differs from run to run, with what stands for it. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/<([\w-]+) \d+>/g, '<$1>'],
  [/contract-[0-9a-f]{8}\.localhost/g, 'alice.localhost'],
  [/contract-[0-9a-f]{8}/g, 'bank'],
  [/(Contract check) [0-9a-f]{8}(?: \d+)?/g, '$1'],
  [/\b\d-[0-9a-f]{32}\b/g, '<rev>'],
  [/("rev":")[\w-]+/g, '$1<rev>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b[0-9a-f]{32}\b/g, '<id>'],
  [/\bcontract-[\w-]{22}\b/g, '<key>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, '2026-11-02T08:30:00.000Z'],
  [/\b20\d\d-\d\d-\d\dT\d\d%3A\d\d%3A\d\d[\w%.]*Z/g, '2026-11-02T08%3A30%3A00.000Z'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:8080'],
  [/(\bused=)\d+/g, '$1<bytes>'],
  [/(\bstate=)[\w-]{22}(?![\w-])/g, '$1<state>'],
  // Digests; names of members have no capital letters.
  [/(^|[^\w<-])(?=[\w-]*[A-Z])[\w-]{40,}(?![\w>-])/g, '$1<value>'],
]

/**
 * One example for each endpoint that a run was served by: of the answers that are no refusals the one with data before
 * one without, and among these the one with the shortest name.
 */
export function examplesOf({ recording }: Report, rows = readRows()): HttpExample[] {
  const best = new Map<Row, Exchange>()
  for (const exchange of recording.exchanges) {
    const { answer, by } = exchange
    if (by !== undefined || answer === undefined || !isGood(answer.status)) continue
    const { pathname } = new URL(exchange.request.url)
    const row = rows.find(
      ({ method, pattern }) => method === exchange.request.method && pattern.test(pathname),
    )
    if (row === undefined) continue
    const known = best.get(row)
    if (known === undefined || isBefore(exchange, known)) best.set(row, exchange)
  }
  const { host } = new URL(recording.target)
  return rows.flatMap((row) => {
    const exchange = best.get(row)
    return exchange === undefined ? [] : [exampleOf(row, exchange, host)]
  })
}

/** What of examples is the same in every run: statuses, and names of headers and of members outside of lists. */
export function shapesOf(examples: readonly HttpExample[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    examples.map(({ method, path: row, request, answer }) => [
      `${method} ${row}`,
      {
        request: [...namesOf(request.headers), ...membersOf(request.body)],
        status: answer.status,
        answer: [...namesOf(answer.headers), ...membersOf(answer.body)],
      },
    ]),
  )
}

export function keptExamples(): HttpExample[] {
  // Written by test/fixtures/http-examples/make.ts.
  return JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as HttpExample[]
}

interface Row {
  readonly method: string
  readonly path: string
  readonly pattern: RegExp
}

/** The endpoints of the documents; exact paths before those with parameters. */
function readRows(): Row[] {
  const text = readFileSync(path.join(DOCS, 'openapi.json'), 'utf8')
  // Generated from the rows.
  const { paths } = JSON.parse(text) as { readonly paths: Readonly<Record<string, object>> }
  return Object.entries(paths)
    .flatMap(([name, methods]) => {
      const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return Object.keys(methods).map((method) => ({
        method: method.toUpperCase(),
        path: name,
        pattern,
      }))
    })
    .toSorted((one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')))
}

/** A websocket is no answer, a refusal no example. */
function isGood(status: number): boolean {
  return status >= 200 && status < 400
}

function isBefore(one: Exchange, other: Exchange): boolean {
  const rank = ({ label, answer }: Exchange): string => {
    const length = TELLING.has(label) ? 0 : label.length
    return `${isData(answer?.body) ? 0 : 1} ${String(length).padStart(3, '0')} ${label}`
  }
  return rank(one) < rank(other)
}

function exampleOf(row: Row, { request, answer }: Exchange, host: string): HttpExample {
  const clean = (text: string): string =>
    CHANGING.reduce(
      (given, [pattern, by]) => given.replaceAll(pattern, by),
      text.replaceAll(host, 'alice.localhost'),
    )
  const { origin } = new URL(request.url)
  const kept = (headers: Exchange['request']['headers'], names: RegExp): string[] =>
    headers
      .filter(([name, value]) => names.test(name) && !value.startsWith('text/html,'))
      .map(([name, value]) => clean(`${name}: ${value}`))
  const body = clean(shortened(answer?.body ?? ''))
  return {
    method: row.method,
    path: row.path,
    request: {
      target: clean(request.url.slice(origin.length)),
      headers: kept(request.headers, REQUEST_HEADERS),
      ...(request.body !== undefined && { body: clean(request.body) }),
    },
    answer: {
      status: answer?.status ?? 0,
      headers: kept(answer?.headers ?? [], ANSWER_HEADERS),
      ...(body !== '' && { body }),
    },
  }
}

function isData(body: string | undefined): boolean {
  return body !== undefined && /^[[{]/.test(body)
}

/** JSON whose lists are short; nothing for a page. */
function shortened(body: string): string {
  if (!isData(body)) return ''
  return JSON.stringify(
    JSON.parse(body, (_name, value: unknown) =>
      Array.isArray(value) && value.every((item) => typeof item === 'object')
        ? (value.slice(0, MOST_ITEMS) as unknown[])
        : value,
    ),
  )
}

function namesOf(headers: readonly string[]): string[] {
  return headers.map((line) => line.replace(/:.*$/, '').toLowerCase()).toSorted()
}

function membersOf(body = ''): string[] {
  if (isData(body)) return namesIn(JSON.parse(body), '').toSorted()
  return [...new URLSearchParams(body).keys()].toSorted()
}

function namesIn(value: unknown, prefix: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, member]) => [
    `${prefix}${name}`,
    ...namesIn(member, `${prefix}${name}.`),
  ])
}
