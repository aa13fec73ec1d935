import type { Assistant, Assistants, KeptDocument } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { checkBody } from './admin.schema.ts'
import { AdminError } from './admin-error.ts'
import type { AdminRouting } from './owner-routes.ts'

const REASON = 'operator'

/** What the operator may do to assistants. @see assistants.md 7.2 */
export function addAssistantRoutes(
  { route, instanceOf }: Pick<AdminRouting, 'instanceOf' | 'route'>,
  assistants: Pick<
    Assistants,
    'dropDocument' | 'end' | 'endAll' | 'keepDocument' | 'keptDocuments' | 'list' | 'mayConnect'
  >,
): void {
  route('get', '/assistant-documents', 'clients:read', async (ctx) => {
    ctx.body = { documents: (await assistants.keptDocuments()).map(documentToWire) }
  })

  route('put', '/assistant-documents/:url', 'everything', async (ctx) => {
    const { text } = checkBody('keepDocument', ctx.request.body)
    const url = String(ctx['params'].url)
    const { at, document, fault } = await assistants.keepDocument(url, String(text))
    if (document === undefined) {
      const what = at === 'address' ? 'the address' : 'the document'
      throw new AdminError('invalid_document', 400, `${what} breaks the rule ${fault}`)
    }
    ctx.body = { url, name: document.name }
  })

  route('delete', '/assistant-documents/:url', 'everything', async (ctx) => {
    if (!(await assistants.dropDocument(String(ctx['params'].url)))) {
      throw new AdminError('document_not_found', 404)
    }
    ctx.status = 204
  })

  route('get', '/instances/:domain/assistants', 'clients:read', async (ctx) => {
    const instance = await instanceOf(ctx)
    const found = await assistants.list(instance)
    ctx.body = {
      allowed: await assistants.mayConnect(instance),
      assistants: found.map((each) => toWire(instance, each)),
    }
  })

  route('delete', '/instances/:domain/assistants', 'clients:revoke', async (ctx) => {
    const instance = await instanceOf(ctx)
    ctx.body = { ended: await assistants.endAll(instance, REASON, BY_OPERATOR) }
  })

  route('delete', '/instances/:domain/assistants/:id', 'clients:revoke', async (ctx) => {
    const instance = await instanceOf(ctx)
    const id = String(ctx['params'].id)
    if (!(await assistants.end(instance, id, REASON, BY_OPERATOR))) {
      throw new AdminError('client_not_found', 404)
    }
    ctx.status = 204
  })
}

const BY_OPERATOR = { actor: { kind: 'operator' } } as const

function documentToWire({ url, name, fetchedAt }: KeptDocument): Record<string, unknown> {
  return { url, name, fetched_at: new Date(fetchedAt).toISOString() }
}

function toWire({ origin }: Instance, { client, grants }: Assistant): Record<string, unknown> {
  const { id, metadata, document, lastUsedAt } = client
  return {
    id,
    name: metadata.client_name,
    host: document === undefined ? 'registered' : new URL(document.url).host,
    resources: [...new Set(grants.map(({ resource }) => `${origin}${resource}`))],
    scopes: [...new Set(grants.map(({ scope }) => scope))],
    ends_at: new Date(Math.max(...grants.map(({ endsAt = 0 }) => endsAt))).toISOString(),
    ...(lastUsedAt !== undefined && { last_used_at: new Date(lastUsedAt).toISOString() }),
  }
}
