import { compiledSchema, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'

/** Reads bodies by their schema, an absent one as an empty object. @throws AuthUiError `invalid_parameter` */
export function createJsonReader<Body>(
  schema: Readonly<Record<string, unknown>>,
): (ctx: RouteContext) => Body {
  return function readJson(ctx) {
    const json: unknown = ctx.state.json ?? {}
    const isBody = compiledSchema<Body>(schema)
    if (isBody(json)) return json
    const { instancePath = '', message = '' } = isBody.errors?.[0] ?? {}
    const description = `${instancePath.slice(1) || 'the body'} ${message}`
    throw new AuthUiError('invalid_parameter', { description })
  }
}
