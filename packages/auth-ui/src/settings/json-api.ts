import type { RouteContext } from '@svc/platform'

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
