import type { Finding } from './check.ts'
import type { Answered } from './evidence.ts'

/** The first thing that is wrong. Later ones are not asked then. */
export function allOf(...findings: readonly (Finding | (() => Finding))[]): Finding {
  for (const finding of findings) {
    const found = typeof finding === 'function' ? finding() : finding
    if (found !== undefined) return found
  }
  return undefined
}

/** Values of a header, in the order they were sent. */
export function headers({ answer }: Answered, name: string): readonly string[] {
  return answer.headers
    .filter(([key]) => key.toLowerCase() === name.toLowerCase())
    .map(([, value]) => value)
}

export function header(exchange: Answered, name: string): string | undefined {
  const values = headers(exchange, name)
  return values.length === 0 ? undefined : values.join(', ')
}

export function expectStatus(exchange: Answered, ...allowed: readonly number[]): Finding {
  const { status } = exchange.answer
  return allowed.includes(status)
    ? undefined
    : `${exchange.label}: the status is ${status}, not ${allowed.join(' or ')}`
}

/** Neither accepted nor a fault of the server: any 4xx. */
export function expectRefused(exchange: Answered): Finding {
  const { status } = exchange.answer
  return status >= 400 && status < 500
    ? undefined
    : `${exchange.label}: the status is ${status}, not one of 4xx`
}

export function expectHeader(exchange: Answered, name: string, pattern: RegExp): Finding {
  const value = header(exchange, name)
  if (value === undefined) return `${exchange.label}: the header ${name} is missing`
  return pattern.test(value) ? undefined : `${exchange.label}: ${name} is "${value}"`
}

export function expectNoHeader(exchange: Answered, name: string): Finding {
  const value = header(exchange, name)
  return value === undefined ? undefined : `${exchange.label}: there is ${name}: ${value}`
}

/** The body as a JSON object; empty when it is none. */
export function jsonOf({ answer }: Answered): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(answer.body)
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>) // an object that was parsed
      : {}
  } catch {
    return {}
  }
}

export function expectJson(exchange: Answered): Finding {
  return allOf(expectHeader(exchange, 'content-type', /^application\/([a-z.]+\+)?json\b/), () =>
    Object.keys(jsonOf(exchange)).length > 0
      ? undefined
      : `${exchange.label}: the body is no JSON object`,
  )
}

export function expectMember(exchange: Answered, name: string, ...allowed: unknown[]): Finding {
  const value = jsonOf(exchange)[name]
  if (value === undefined) return `${exchange.label}: the member ${name} is missing`
  if (allowed.length === 0 || allowed.some((one) => isSame(one, value))) return undefined
  return `${exchange.label}: ${name} is ${show(value)}, not ${allowed.map(show).join(' or ')}`
}

export function expectNoMember(exchange: Answered, name: string): Finding {
  const value = jsonOf(exchange)[name]
  return value === undefined ? undefined : `${exchange.label}: there is a member ${name}`
}

/** An error as OAuth has it: a status and a code. */
export function expectError(
  exchange: Answered,
  statuses: readonly number[],
  ...codes: readonly string[]
): Finding {
  return allOf(expectStatus(exchange, ...statuses), () =>
    codes.length === 0
      ? expectMember(exchange, 'error')
      : expectMember(exchange, 'error', ...codes),
  )
}

/** A page with this status, and nothing that leads elsewhere. */
export function expectPage(exchange: Answered, ...allowed: readonly number[]): Finding {
  return allOf(
    expectStatus(exchange, ...allowed),
    expectNoHeader(exchange, 'location'),
    expectHeader(exchange, 'content-type', /^text\/html\b/),
  )
}

/** Where an answer leads: its `Location`, or what the script of a page is told as data. Empty: nowhere. */
export function locationOf(exchange: Answered): string {
  const { redirect = '' } = wantsData(exchange) ? jsonOf(exchange) : {}
  return header(exchange, 'location') ?? String(redirect)
}

/** Whether a script of a page asked: a form of a browser accepts pages. */
export function wantsData({ request }: Answered): boolean {
  return request.headers.some(
    ([name, value]) => name.toLowerCase() === 'accept' && value === 'application/json',
  )
}

/**
 * A parameter of an address, decoded.
 * @param url - may hold names of secrets, which a URL parser would encode
 */
export function parameterOf(url: string, name: string): string | undefined {
  const query = url.split('#', 1)[0]?.split('?').slice(1).join('?') ?? ''
  return new URLSearchParams(query).get(name) ?? undefined
}

export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
