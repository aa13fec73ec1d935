import type { IncomingHttpHeaders } from 'node:http'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/platform'
import CachePolicy from 'http-cache-semantics'

const LEAST_MS = MINUTE_MS
const MOST_MS = DAY_MS
const DEFAULT_MS = HOUR_MS
const LIFETIME = /(?:^|[\s,])(?:max-age|no-cache|no-store|private|s-maxage)(?=$|[\s,=])/

/**
 * How long an answer of 200 may be used without asking again: as its headers say, within bounds.
 * @see assistants.md 2.5; RFC 9111
 */
export function freshnessOf(headers: Readonly<IncomingHttpHeaders>): number {
  const { expires } = headers
  // Names of directives have no case; the library's do.
  const control = (headers['cache-control'] ?? '').toLowerCase()
  if (expires === undefined && !LIFETIME.test(control)) return DEFAULT_MS
  const policy = new CachePolicy(
    { method: 'GET', url: '/', headers: {} },
    { status: 200, headers: { ...withOneValue(headers), 'cache-control': control } },
    { shared: true, cacheHeuristic: 0 },
  )
  const restMs = Math.round(policy.maxAge() - policy.age()) * 1000
  return Math.min(MOST_MS, Math.max(LEAST_MS, restMs))
}

function withOneValue(headers: Readonly<IncomingHttpHeaders>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]),
  )
}
