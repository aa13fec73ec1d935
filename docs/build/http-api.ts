import type { RouteRow } from '../../packages/platform/src/index.ts'
import { type Document, GENERATED, table } from './document.ts'
import { expectedBody } from './bodies.ts'
import { exampleOf } from './examples.ts'
import { bucketRows, lifetimeRows } from './limits.ts'
import { bodyText, callersText, FAMILIES, limitText, STATUS_TEXTS } from './route-words.ts'
import type { RouteGroup } from './routes.ts'

/** `docs/http-api.md` from the routes. */
export async function httpApi(groups: readonly RouteGroup[]): Promise<Document> {
  const parts = [
    '# HTTP interface',
    GENERATED,
    INTRODUCTION,
    ...groups.map(overview),
    '## Rules for all endpoints',
    COMMON,
    '## Error families',
    FAMILIES.map(({ family, text }) => `- \`${family}\`: ${text}`).join('\n'),
    '## Where this differs from what one may expect',
    DEVIATIONS.map((line) => `- ${line}`).join('\n'),
    '## Limits',
    table(['What', 'How long', 'Name', 'Source'], await lifetimeRows()).trimEnd(),
    'Counts, by the name that the endpoints below give; over the limit the answer is 429 with `Retry-After`.',
    table(['Name', 'How often'], await bucketRows()).trimEnd(),
    ...groups.flatMap((group) => [
      `## Endpoints of ${group.name}`,
      ...group.rows.flatMap((row) => endpoint(row)),
    ]),
  ]
  return { file: 'docs/http-api.md', content: `${parts.join('\n\n')}\n` }
}

const INTRODUCTION = `Every endpoint, from the same routes that the router executes. An instance is one owner on one domain; the \`Host\` header
chooses it. [openapi.json](openapi.json) says the same for programs. "Source" names the RFC, or the part of the
[specification](spec/README.md) that says so.

Examples are what a run of the [contract](contract/README.md) sent to the example host, and what it got. What stands between
\`<\` and \`>\` was a secret, or is another one each time; forms are shown with a line for each member, and pages are left
out.`

const COMMON = `- An unknown host is 404, a blocked instance 503; app hosts serve their app's files and the kit of apps only:
  every path of the interface is 404 there, with every method and in every spelling.
- Paths are exact: case matters, no trailing slash. A known path with another method is 405 with \`Allow\`.
- Besides its own statuses an endpoint may answer 500 (with \`X-Request-Id\`, nothing else) and 503 with \`Retry-After\`
  when the store cannot be reached, a stored value is sealed with a key that this process does not have
  (\`keys_unavailable\`), the process has too much to do (\`overloaded\`), or what it
  stores would stay and the server has little room left (\`storage_full\`).
- A bearer is looked at before the body: a wrong one is 401 whatever is sent with it.
- Bodies are at most 64 KiB unless the endpoint says otherwise; any \`Content-Encoding\` is 415, a parameter given
  twice is 400.
- Redirects are 302.
- Answers with a token or a code are \`Cache-Control: no-store\`.`

const OTHER_REDIRECTS: ReadonlySet<number> = new Set([300, 301, 303, 307, 308])

/** @see decisions D33; only what the endpoints below can show */
const DEVIATIONS = [
  'A magic link opened in another browser shows a page with one button instead of logging in at once: mail scanners follow links.',
  'The `redirect` of a second step (`/auth/twofactor`, `/auth/magic_link/…`) has to be that of the first one, which it may leave out.',
  '`GET /auth/passphrase_reset?from=settings` shows its form to an owner who is logged in.',
  'Redirects after login also accept targets on the instance itself, since the authorization page sends owners through login.',
  'A `PUT` of the client record that carries the current `client_secret` asks for a new one.',
  '`quota` is absent when storage is unlimited.',
]

function overview(group: RouteGroup): string {
  const rows = group.rows.map((row) => [
    `[\`${row.method} ${row.path}\`](#${anchor(row)})`,
    row.summary,
  ])
  return `## ${group.name}: ${group.title}\n\n${table(['Endpoint', 'What it does'], rows).trimEnd()}`
}

function endpoint(row: RouteRow): string[] {
  const facts: [string, string][] = [
    ['Who may call', callersText(row)],
    ['Body', bodyText(row)],
    ['CSRF', row.csrf === undefined ? '' : CSRF[row.csrf]],
    ['Other origins', CORS[row.cors ?? 'none']],
    ['Rate limit', limitText(row)],
    ['Errors', `family \`${row.family}\``],
    ['Source', row.source],
  ]
  // "Redirects are 302", says the document.
  const other = row.statuses.find((status) => OTHER_REDIRECTS.has(status))
  if (other !== undefined) throw new Error(`${row.method} ${row.path} redirects with ${other}`)
  const statuses = row.statuses.map((status) => `${status} ${STATUS_TEXTS[status] ?? ''}`.trim())
  return [
    `### \`${row.method} ${row.path}\``,
    row.summary,
    [...facts, ['Statuses', statuses.join(', ')] as const]
      .filter(([, text]) => text !== '')
      .map(([name, text]) => `- ${name}: ${text}`)
      .join('\n'),
    ...bodyMembers(row),
    ...exampleOf(row),
  ]
}

/** The members of a JSON body; the whole schema is in openapi.json. */
function bodyMembers(row: RouteRow): string[] {
  const { properties, required } = expectedBody(row.body) as JsonSchema
  if (properties === undefined) return []
  const rows = Object.entries(properties).map(([name, member]) => [
    `\`${name}\``,
    required?.includes(name) === true ? 'yes' : '',
    memberText(member),
  ])
  return [table(['Member', 'Mandatory', 'Value'], rows).trimEnd()]
}

interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly maxLength?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

function memberText(member: JsonSchema): string {
  if (member.enum !== undefined)
    return member.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (member.anyOf !== undefined) return member.anyOf.map((one) => memberText(one)).join(', or ')
  if (member.items !== undefined) return `array of ${memberText(member.items)}`
  const limit = member.maxLength === undefined ? '' : `, at most ${member.maxLength} characters`
  return `${member.type ?? 'any'}${limit}`
}

const CSRF = {
  token: '`csrf_token` of the form must equal the cookie, and the request must be same-origin',
  origin: 'same-origin requests only; a `csrf_token` is checked when there is one',
}

const CORS = {
  none: '',
  'app-origins': "the instance's own apps, with credentials",
  'app-origins-or-any':
    "the instance's own apps, with credentials; any other origin without credentials",
  open: 'any, without credentials',
  'public-clients': 'any, without credentials, of requests without a secret; no preflight',
  resource: 'any, without credentials, with the headers of clients of a resource',
}

/** How code hosts name the heading of an endpoint. */
function anchor(row: RouteRow): string {
  return `${row.method} ${row.path}`
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
