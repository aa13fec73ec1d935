import type { ErrorObject as SchemaFault } from 'ajv'
import { compiledSchema } from '../compiled-schema.ts'
import { Parameters } from './parameters.ts'
import { RequestError } from './request-error.ts'
import type { RouteContext } from './request-state.ts'

export type { SchemaFault }

declare const describedBody: unique symbol

/** A JSON schema of what a request carries, with the type of a body that satisfies it. */
export type BodySchema<Body = unknown> = Readonly<Record<string, unknown>> & {
  readonly [describedBody]?: Body
}

/**
 * A schema and the type it describes; only this call says that they agree.
 * @param schema - a constant: it is compiled once in a process, when a request first needs it
 */
export function bodySchema<Body>(schema: Readonly<Record<string, unknown>>): BodySchema<Body> {
  return schema
}

const described = new WeakSet<object>()

/**
 * The schema of a body whose members have rules and answers of their own, in an order that the specification fixes: the
 * client of a token request is asked for its secret before anything else is looked at, and RFC 7591 has one error for
 * each kind of member. The router lets every body through that is an object, and leaves a form to `ctx.state.form`; the
 * documents tell what is expected.
 * @param expected - for readers; the handler's rules hold the body against it
 * @example
 * const schema = describedSchema({ type: 'object', properties: { code: { type: 'string' } } })
 */
export function describedSchema(expected: Readonly<Record<string, unknown>>): BodySchema {
  const schema = { type: 'object', anyOf: [expected, {}] }
  described.add(schema)
  return schema
}

/** What a row says about its body beyond how it is read. */
export interface SchemaRule {
  readonly schema?: BodySchema
  /**
   * The error for a body that breaks the schema.
   * @param faults - as Ajv tells them
   * @defaultValue 400 `invalid_request` naming the first fault
   */
  readonly refuse?: (faults: readonly SchemaFault[]) => Error
  /** Whether `refuse` gets every fault instead of the first: only of schemas that bound their lists. @defaultValue `false` */
  readonly allFaults?: boolean
}

/**
 * Holds the body that was read against the row's schema, and puts it into `ctx.state.body`. A form is an object of
 * texts. Nothing is checked, and `ctx.state.body` stays undefined, where an optional body is absent and for a form that
 * is only described.
 * @throws what the rule's `refuse` answers
 */
export function applySchema(ctx: RouteContext, rule: SchemaRule): void {
  const { schema, refuse = malformed, allFaults = false } = rule
  if (schema === undefined) return
  // A form is an object whatever its fields are: the token endpoint is not to pay for a second copy of them.
  if (ctx.state.json === undefined && described.has(schema)) return
  const body = ctx.state.json === undefined ? formOf(ctx) : ctx.state.json
  if (body === undefined) return
  const check = compiledSchema(schema, { allErrors: allFaults, allowUnionTypes: true })
  if (!check(body)) throw refuse(check.errors ?? [])
  ctx.state.body = body
}

function formOf(ctx: RouteContext): Readonly<Record<string, string>> | undefined {
  const { form } = ctx.state
  // Most forms have a field: then nobody has to look at the header again.
  if (form === Parameters.empty && !ctx.is('application/x-www-form-urlencoded')) return undefined
  // No prototype: a field may be called `__proto__`.
  const fields = Object.create(null) as Record<string, string>
  for (const [name, value] of form.entries()) fields[name] = value
  return fields
}

function malformed([fault]: readonly SchemaFault[]): RequestError {
  const where = fault?.instancePath === '' ? 'the body' : fault?.instancePath
  return new RequestError('invalid_request', {
    description: `${where ?? 'the body'} ${fault?.message ?? 'is malformed'}`,
  })
}
