import type { RouteContext } from '@svc/oauth-core'
import { Ajv } from 'ajv'
import { AuthUiError } from '../errors.ts'

/** Compiles a schema once; what it answers reads bodies, an absent one as an empty object. @throws AuthUiError `invalid_parameter` */
export function createJsonReader<Body>(
  schema: Readonly<Record<string, unknown>>,
): (ctx: RouteContext) => Body {
  const isBody = new Ajv().compile(schema)
  return function readJson(ctx) {
    const json = ctx.state.json ?? {}
    // The schema describes this very type.
    if (isBody(json)) return json as Body
    const { instancePath = '', message = '' } = isBody.errors?.[0] ?? {}
    const description = `${instancePath.slice(1) || 'the body'} ${message}`
    throw new AuthUiError('invalid_parameter', { description })
  }
}
