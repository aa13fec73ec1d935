import { createHash } from 'node:crypto'
import {
  type Caller,
  callersOf,
  type RouteFamily,
  type RouteRow,
} from '../../packages/platform/src/index.ts'
import { expectedBody } from './bodies.ts'
import type { Document } from './document.ts'
import { mediaTypes, STATUS_TEXTS } from './route-words.ts'
import type { RouteGroup } from './routes.ts'

/** `docs/openapi.json` (OpenAPI 3.1) from the routes. */
export function openApi(groups: readonly RouteGroup[], version: string): Document {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { name, rows } of groups) {
    for (const row of rows) {
      const path = row.path.replaceAll(/[:*](\w+)/g, '{$1}')
      const methods = (paths[path] ??= {})
      const method = row.method.toLowerCase()
      if (methods[method] !== undefined) throw new Error(`${row.method} ${row.path} is there twice`)
      methods[method] = operation(row, name)
    }
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Personal-data server: authentication, OAuth, notifications',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'https://{domain}', variables: { domain: { default: 'alice.example.com' } } }],
    tags: groups.map(({ name, title }) => ({ name, description: title })),
    paths,
    components: { securitySchemes: SCHEMES, schemas: ERROR_SCHEMAS },
  }
  return { file: 'docs/openapi.json', content: `${JSON.stringify(document, null, 2)}\n` }
}

function operation(row: RouteRow, tag: string): Record<string, unknown> {
  const content = Object.fromEntries(
    mediaTypes(row).map((type) => [type, { schema: expectedBody(row.body) }]),
  )
  const parameters = [...row.path.matchAll(/[:*](\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return {
    operationId: operationId(row),
    summary: row.summary,
    description: `Source: ${row.source}.`,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    security: callersOf(row).map(requirement),
    ...(row.body && { requestBody: { required: row.body.optional !== true, content } }),
    responses: Object.fromEntries(
      [...new Set([...row.statuses, 500, 503])]
        .toSorted((one, other) => one - other)
        .map((status) => [String(status), response(status, row.family)]),
    ),
  }
}

function operationId(row: RouteRow): string {
  const words = row.path.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  const readable = `${row.method.toLowerCase()}${name}`
  // `/a_b`, `/a/b` and `/a/b/` read the same; a digest of the path tells them apart where that happens.
  const digest = createHash('sha256').update(row.path).digest('hex').slice(0, 6)
  return /[_.]|.\/$/.test(row.path) ? `${readable}_${digest}` : readable
}

function requirement(auth: Caller): Record<string, string[]> {
  const scheme = SCHEME_OF[auth]
  return scheme === undefined ? {} : { [scheme]: [] }
}

const SCHEME_OF: Readonly<Record<Caller, keyof typeof SCHEMES | undefined>> = {
  none: undefined,
  code: undefined,
  passphrase: undefined,
  passkey: undefined,
  'access token': 'bearer',
  'app token': 'bearer',
  'client secret': 'clientSecret',
  'konnector token': 'bearer',
  'registration access token': 'registration',
  'session cookie': 'session',
  'settings app token': 'bearer',
}

const SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of an app, a client or a konnector.',
  },
  clientSecret: {
    type: 'http',
    scheme: 'basic',
    description: '`client_id` and `client_secret`; also accepted in the body.',
  },
  registration: {
    type: 'http',
    scheme: 'bearer',
    description: 'The `registration_access_token` of the client (RFC 7592).',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-svcsessid',
    description: "The owner's session.",
  },
} as const

function response(status: number, family: RouteFamily): Record<string, unknown> {
  const description = STATUS_TEXTS[status] ?? String(status)
  if (status < 400) return { description }
  if (family === 'empty') return { description }
  const isPage = family === 'html' || family === 'html-jsonapi'
  const form = family === 'html' ? 'json' : family.replace('html-', '')
  const schema = { $ref: `#/components/schemas/Error_${form}` }
  const type = form === 'jsonapi' ? 'application/vnd.api+json' : 'application/json'
  const page = isPage ? { 'text/html': { schema: { type: 'string' } } } : {}
  return { description, content: { ...page, [type]: { schema } } }
}

const TEXT = { type: 'string' }

const ERROR_SCHEMAS = {
  Error_oauth: {
    type: 'object',
    required: ['error'],
    properties: { error: TEXT, error_description: TEXT },
  },
  Error_json: { type: 'object', required: ['error'], properties: { error: TEXT, code: TEXT } },
  Error_jsonapi: {
    type: 'object',
    required: ['errors'],
    properties: {
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['status', 'title'],
          properties: { status: TEXT, code: TEXT, title: TEXT },
        },
      },
    },
  },
}
