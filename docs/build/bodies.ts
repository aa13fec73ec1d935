import type { RouteRow } from '../../packages/platform/src/index.ts'
import type { RouteGroup } from './routes.ts'

/** Rows that take a body and do not say what is in it. */
export function bodyFaults(groups: readonly RouteGroup[]): string[] {
  return groups
    .flatMap(({ rows }) => rows)
    .filter((row) => row.body !== undefined && !isTold(row))
    .map(
      ({ method, path }) =>
        `${method} ${path}: the route has a body and no schema that describes it`,
    )
}

/** `{ type: 'object' }` alone says nothing: either its members are there, or words for what has none of its own. */
function isTold({ body }: RouteRow): boolean {
  const { properties, description } = expectedBody(body)
  return properties !== undefined || description !== undefined
}

/** The schema of what a body should be. Where the handler's rules have the last word, it comes first of `anyOf`. */
export function expectedBody(body: RouteRow['body']): Readonly<Record<string, unknown>> {
  const schema = body?.schema ?? { type: 'object' }
  const { anyOf } = schema as { readonly anyOf?: readonly Readonly<Record<string, unknown>>[] }
  return anyOf?.[0] ?? schema
}
