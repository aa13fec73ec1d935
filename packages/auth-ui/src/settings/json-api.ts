import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'

/** A resource of a JSON:API document. */
export interface Resource {
  readonly type: string
  readonly id: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links?: { readonly self: string }
}

/** Answers 200 with a JSON:API document. */
export function answerResources(ctx: RouteContext, data: Resource | readonly Resource[]): void {
  ctx.status = 200
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify({
    data,
    ...(Array.isArray(data) ? { meta: { count: data.length } } : {}),
  })
}

/** A time as documents carry it. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Reads a page of a list. @throws AuthUiError `invalid_parameter` for a cursor that the list did not give */
export async function readPage<Page>(
  cursor: string | undefined,
  read: () => Promise<Page>,
): Promise<Page> {
  try {
    return await read()
  } catch (error) {
    if (cursor === undefined || !(error instanceof TypeError)) throw error
    throw new AuthUiError('invalid_parameter', { description: 'cursor is malformed' })
  }
}

/** Answers 200 with a page of a list, and where the next one is. */
export function answerPage(
  ctx: RouteContext,
  data: readonly Resource[],
  cursor: string | undefined,
): void {
  const links =
    cursor === undefined
      ? {}
      : { next: `${ctx.path}?${new URLSearchParams({ cursor }).toString()}` }
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify({ data, links })
}
