import { bodySchema, type BodySchema } from '@svc/platform'

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * The schema of a body whose members have rules and answers of their own, in an order that the specification fixes: the
 * client of a token request is asked for its secret before anything else is looked at, and RFC 7591 has one error for
 * each kind of member. The router lets every body through that is an object; the documents tell what is expected.
 * @param expected - for readers; the handler's rules hold the body against it
 */
export function describedSchema(expected: JsonSchema): BodySchema {
  return bodySchema({ type: 'object', anyOf: [expected, {}] })
}
