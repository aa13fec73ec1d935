import { readFileSync } from 'node:fs'

/** What requests of a route are made from. */
export interface Route {
  readonly method: string
  /** With `{name}` where a value stands. */
  readonly path: string
  /** Names of its parameters and of the members of its body. */
  readonly names: readonly string[]
  /** Media type of its body. */
  readonly type: string
}

interface Operation {
  readonly parameters?: readonly { readonly name: string }[]
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        { readonly schema: { readonly properties?: Readonly<Record<string, unknown>> } }
      >
    >
  }
  readonly responses?: unknown
}

/** All routes, out of the description that is generated from them. */
export function readRoutes(): readonly Route[] {
  const file = new URL('../../../../docs/openapi.json', import.meta.url)
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  } // by the docs build
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.responses !== undefined)
      .map(([method, { parameters = [], requestBody }]) => {
        const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
        const names = [
          ...parameters.map(({ name }) => name),
          ...Object.keys(media?.schema.properties ?? {}),
        ]
        return {
          method: method.toUpperCase(),
          path,
          names: [...names, 'redirect', 'state'],
          type: type ?? 'application/json',
        }
      }),
  )
}
