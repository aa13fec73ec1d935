import { STATUS_CODES } from 'node:http'
import {
  callersOf,
  type RouteFamily,
  type RouteLimit,
  type RouteRow,
} from '../../packages/platform/src/index.ts'

/** Reason phrases by status. */
export const STATUS_TEXTS: Readonly<Record<number, string | undefined>> = STATUS_CODES

/** How each family of endpoints answers errors. */
export const FAMILIES: readonly { readonly family: RouteFamily; readonly text: string }[] = [
  {
    family: 'oauth',
    text: '`{"error": "<code>", "error_description": "…"}`, as RFC 6749 section 5.2',
  },
  { family: 'json', text: '`{"error": "<text>", "code": "<code>"}`; the text may be the code' },
  {
    family: 'jsonapi',
    text: '`{"errors": [{"status", "code", "title", "detail"?, "source"?}]}` as `application/vnd.api+json`',
  },
  { family: 'html', text: 'a page; the `json` form when `Accept` prefers JSON' },
  {
    family: 'html-jsonapi',
    text: 'a page when `Accept` names `text/html`, else the `jsonapi` form',
  },
  { family: 'empty', text: 'the status alone' },
]

/** What a request to an endpoint may carry, in words. */
export function bodyText(row: RouteRow): string {
  if (row.body === undefined) return ''
  const types = mediaTypes(row).map((type) => `\`${type}\``)
  const limit = row.body.limitBytes === undefined ? '' : `, at most ${row.body.limitBytes} bytes`
  return `${types.join(' or ')}${limit}${row.body.optional === true ? ', or none' : ''}`
}

/** Media types a request may carry. */
export function mediaTypes(row: RouteRow): string[] {
  return (row.body?.types ?? []).map((type) =>
    type === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
  )
}

/** Who may call an endpoint, with the name of the rule that asks. */
export function callersText(row: RouteRow): string {
  const words = callersOf(row)
    .map((who) => (who === 'none' ? 'anybody' : who))
    .join(', ')
  if (typeof row.auth !== 'function' || row.auth.name === 'anybody') return words
  const { name, provedBy } = row.auth
  return provedBy === undefined ? `${words} (\`${name}\`)` : `${words} (\`${provedBy}\`)`
}

/** How often an endpoint may be asked. */
export function limitText({ limit = [] }: RouteRow): string {
  return typeof limit === 'string' ? limit : limit.map(oneLimit).join('; ')
}

function oneLimit(limit: RouteLimit): string {
  if ('inRule' in limit) return `\`${limit.bucket}\` (${limit.inRule})`
  const by = limit.by === undefined ? 'instance' : limit.by.name
  const { counts } = limit
  const what = typeof counts === 'string' ? counts : counts.map((code) => `\`${code}\``).join(', ')
  return `\`${limit.bucket}\` by ${by}, counting ${what}`
}
