import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ADMIN_BODIES } from '../../examples/host/src/admin/admin.schema.ts'
import { ADMIN_WORDS } from './admin-words.ts'
import { type Document, GENERATED, ROOT, table } from './document.ts'

/** An endpoint as the source declares it. */
interface AdminRoute {
  readonly method: string
  readonly path: string
  /** What a named token needs for it. */
  readonly scope: string
  /** JSON Schema of its body. */
  readonly body: object | undefined
}

const DECLARED = /\broute\(\s*'(get|post|put|patch|delete)',\s*'([^']+)',\s*'([^']+)'/g

/** `docs/admin-api.md` and `docs/admin-openapi.json` from the routes of the admin listener. @see operation.md 7.9 */
export function adminApi(version: string): Document[] {
  const routes = adminRoutes()
  return [
    { file: 'docs/admin-api.md', content: page(routes) },
    {
      file: 'docs/admin-openapi.json',
      content: `${JSON.stringify(openApi(routes, version), null, 2)}\n`,
    },
  ]
}

/** Routes without words. */
export function adminFaults(): string[] {
  return adminRoutes()
    .map(({ method, path: target }) => `${method} ${target}`)
    .filter((name) => ADMIN_WORDS[name] === undefined)
    .map((name) => `${name} of the admin listener has no words in docs/build/admin-words.ts`)
}

function adminRoutes(): AdminRoute[] {
  const folder = path.join(ROOT, 'examples/host/src/admin')
  return globSync('*.ts', { cwd: folder })
    .flatMap((file) => routesOf(readFileSync(path.join(folder, file), 'utf8')))
    .toSorted((one, other) =>
      `${one.path} ${one.method}` < `${other.path} ${other.method}` ? -1 : 1,
    )
}

function routesOf(text: string): AdminRoute[] {
  const found = [...text.matchAll(DECLARED)]
  return found.map((match, at) => {
    const [, method = '', target = '', scope = ''] = match
    const handler = text.slice(match.index, found[at + 1]?.index)
    const name = /checkBody\(\s*'(\w+)'/.exec(handler)?.[1]
    const body = Object.entries(ADMIN_BODIES).find(([each]) => each === name)?.[1]
    return { method: method.toUpperCase(), path: target, scope, body }
  })
}

function page(routes: readonly AdminRoute[]): string {
  const rows = routes.map((route) => [
    `\`${route.method} ${route.path}\``,
    ADMIN_WORDS[`${route.method} ${route.path}`] ?? '',
    route.scope === 'everything' ? '' : `\`${route.scope}\``,
    fieldsText(route.body),
  ])
  return [
    '# Admin interface',
    GENERATED,
    INTRODUCTION,
    table(['Endpoint', 'What it does', 'Scope', 'Body'], rows).trimEnd(),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n')
}

const INTRODUCTION = `The operator's side: JSON over HTTP on 127.0.0.1, port 6060 unless \`SVC_ADMIN_PORT\` says otherwise. Every request carries
\`Authorization: Bearer\` with the token of \`admin-token\` in the data directory, or \`SVC_ADMIN_TOKEN\`. The command \`svc\`
calls nothing else. \`:domain\` is a domain or an alias of an instance. Faults are \`{ error, code }\` with a status; paths,
fields and codes stay what they are from one version to the next. [admin-openapi.json](admin-openapi.json) says the same
for programs. A field with a star has to be there.

Whoever needs one thing, such as the portal of a hoster, gets a token of its own: \`svc admin-token create --name portal
--only instances:create --until 2027-01-31\` prints it once. It may call the routes of its scopes until the end of that
day, and is refused with 403 and \`scope_missing\` at others; routes without a scope are for the token of the server alone.
\`svc admin-token list\` and \`revoke\` look after them. What one changed, and what it was refused, is \`admin.called\` in the
audit stream, with its name. After a restore all of them are gone, since one may have been revoked after the backup.`

function fieldsText(body: object | undefined): string {
  if (body === undefined) return ''
  const { properties = {}, required = [] } = body as {
    properties?: Readonly<Record<string, unknown>>
    required?: readonly string[]
  } // JSON Schema of an object
  return Object.keys(properties)
    .map((name) => `\`${name}\`${required.includes(name) ? '*' : ''}`)
    .join(', ')
}

function openApi(routes: readonly AdminRoute[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const { method, path: target, scope, body } of routes) {
    const parameters = Array.from(target.matchAll(/:(\w+)/g), ([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }))
    const operations = (paths[target.replaceAll(/:(\w+)/g, '{$1}')] ??= {})
    operations[method.toLowerCase()] = {
      summary: ADMIN_WORDS[`${method} ${target}`],
      ...(parameters.length > 0 && { parameters }),
      ...(scope !== 'everything' && { security: [{ admin: [scope] }] }),
      ...(body !== undefined && {
        requestBody: { content: { 'application/json': { schema: body } } },
      }),
      responses: {
        '2XX': { description: 'Done.' },
        '4XX': { description: 'Refused; the body says why.', content: FAULT },
        ...(method === 'PUT' && target === '/admin/account_types/:id' && { '422': FIELD_FAULTS }),
      },
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Personal-data server: administration',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:6060' }],
    security: [{ admin: [] }],
    paths,
    components: { securitySchemes: { admin: { type: 'http', scheme: 'bearer' } } },
  }
}

/** @see connectors.md 2.2 (4) */
const FIELD_FAULTS = {
  description: 'Refused; one error for each field that is wrong.',
  content: {
    'application/vnd.api+json': {
      schema: {
        type: 'object',
        required: ['errors'],
        properties: {
          errors: {
            type: 'array',
            items: {
              type: 'object',
              required: ['status', 'code', 'detail', 'source'],
              properties: {
                status: { type: 'string' },
                code: { type: 'string' },
                detail: { type: 'string' },
                source: { type: 'object', properties: { pointer: { type: 'string' } } },
              },
            },
          },
        },
      },
    },
  },
}

const FAULT = {
  'application/json': {
    schema: {
      type: 'object',
      required: ['error', 'code'],
      properties: { error: { type: 'string' }, code: { type: 'string' } },
    },
  },
} as const
