import { OAuthError } from '@svc/oauth-core'
import { type RouteContext } from '@svc/platform'
import type { Expectation, Fields, StoredDocument } from '../../documents/document-store.ts'

const ID = /^[A-Za-z0-9][A-Za-z0-9._~@-]{0,127}$/

/** A document as callers read it. */
export function toWire({ type, id, rev, fields }: StoredDocument): Fields {
  return { _id: id, _type: type, _rev: rev, ...fields }
}

/** The id of the path. @throws OAuthError `invalid_request` */
export function idOf(ctx: RouteContext): string {
  const id = String(ctx.params['id'])
  if (!ID.test(id)) throw malformed('the id is malformed')
  return id
}

/** The fields of the body without those that are the server's. @throws OAuthError `invalid_request` */
export function fieldsOf(ctx: RouteContext): Fields {
  const { json } = ctx.state
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw malformed('the body is not an object')
  }
  // Parsed JSON holds JSON values; `fromEntries` makes own members even of `__proto__`.
  return Object.fromEntries(
    Object.entries(json).filter(([name]) => !name.startsWith('_')),
  ) as Fields
}

/** The revision that the caller means: `If-Match`, or `_rev` of the body. @throws OAuthError `invalid_request` */
export function expectationOf(ctx: RouteContext): Expectation {
  const header = /^"([\x21\x23-\x7e]{1,100})"$/.exec(ctx.get('If-Match'))?.[1]
  if (header === undefined && ctx.get('If-Match') !== '') throw malformed('If-Match is malformed')
  const member = (ctx.state.json as { _rev?: unknown } | undefined)?._rev
  if (member !== undefined && typeof member !== 'string') throw malformed('_rev is not a text')
  if (header !== undefined && member !== undefined && header !== member) {
    throw malformed('_rev and If-Match differ')
  }
  const rev = header ?? member
  return rev === undefined ? 'any' : { rev }
}

/** Which page of a list is asked for. @throws OAuthError `invalid_request` */
export function pageOf(ctx: RouteContext): { limit?: number; cursor?: string } {
  const { query } = ctx.state
  const limit = query.get('limit')
  const cursor = query.get('cursor')
  if (limit !== undefined && !/^(?:[1-9]\d?|100)$/.test(limit)) {
    throw malformed('limit is not a number from 1 to 100')
  }
  if (cursor !== undefined && cursor.length > 1000) throw malformed('the cursor is malformed')
  return {
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(cursor !== undefined && { cursor }),
  }
}

/** A cursor that no page gave is a fault of the request. */
export function refuseCursor(error: unknown): never {
  if (error instanceof TypeError) throw malformed('the cursor is malformed')
  throw error
}

/** Answers a document, its revision as the ETag. */
export function answerDocument(ctx: RouteContext, status: number, document: StoredDocument): void {
  ctx.set('ETag', `"${document.rev}"`)
  answer(ctx, status, toWire(document))
}

/** Answers JSON. */
export function answer(ctx: RouteContext, status: number, body: unknown): void {
  ctx.status = status
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(body)
}

/** A request that cannot be read. */
export function malformed(description: string): OAuthError {
  return new OAuthError('invalid_request', { description })
}

/** Somebody else changed the document before. */
export function conflict(): OAuthError {
  return new OAuthError('conflict', { description: 'the document has another revision' })
}
