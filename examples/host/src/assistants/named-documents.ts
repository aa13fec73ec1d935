import { type ToolCaller, ToolError } from '@svc/mcp'
import type { DocumentPage, DocumentStore } from '../documents/document-store.ts'

/** No document of this host that a tool can fetch has a longer one. */
const MAX_ID = 300

interface NamedOptions {
  readonly documents: Pick<DocumentStore, 'get'>
  readonly page: { readonly limit: number; readonly cursor?: string }
}

/**
 * The ids of a kind that the caller's rules name, in their order.
 * @returns undefined when a rule is about more than named documents
 */
export function namedIds({ access }: ToolCaller, kind: string): readonly string[] | undefined {
  const rules = access.permissions.filter(
    ({ type, verbs }) => type === kind && verbs.includes('GET'),
  )
  if (rules.some(({ values, selector }) => values === undefined || selector !== undefined)) {
    return undefined
  }
  const ids = new Set(rules.flatMap(({ values = [] }) => values))
  return [...ids].filter((id) => id.length <= MAX_ID).toSorted()
}

/**
 * A page of named documents. It is read by their names alone, so that neither a cursor nor an empty page nor the time
 * that it takes tells of others.
 * @throws ToolError `not_found` for a cursor that no page gave
 */
export async function listNamed(
  { instance }: ToolCaller,
  kind: string,
  ids: readonly string[],
  { documents, page: { limit, cursor } }: NamedOptions,
): Promise<DocumentPage> {
  const start = cursor === undefined ? 0 : ids.indexOf(cursor) + 1
  if (cursor !== undefined && start === 0) throw new ToolError('not_found')
  const named = ids.slice(start, start + limit)
  const found = await Promise.all(named.map((id) => documents.get(instance, kind, id)))
  const last = named.at(-1)
  return {
    documents: found.filter((document) => document !== undefined),
    ...(last !== undefined && start + limit < ids.length && { cursor: last }),
  }
}
