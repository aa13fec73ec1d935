/** A JSON schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>

/** JSON schemas of what records are made of. */
export const valueSchemas: {
  readonly any: JsonSchema
  readonly boolean: JsonSchema
  /** A whole number, 0 or more. */
  readonly count: JsonSchema
  /** SHA-256 as base64url. */
  readonly digest: JsonSchema
  /** Milliseconds since the epoch. */
  readonly instant: JsonSchema
  /** Any members. */
  readonly object: JsonSchema
  readonly text: JsonSchema
  /** These members and no others. */
  readonly members: (
    required: Readonly<Record<string, JsonSchema>>,
    optional?: Readonly<Record<string, JsonSchema>>,
  ) => JsonSchema
  /** These members, and others that are not ours to know. */
  readonly membersAndOthers: (
    required: Readonly<Record<string, JsonSchema>>,
    optional?: Readonly<Record<string, JsonSchema>>,
  ) => JsonSchema
  readonly list: (items: JsonSchema, maxItems?: number) => JsonSchema
  /** Members of any name. */
  readonly map: (values: JsonSchema) => JsonSchema
  readonly oneOf: (...texts: readonly string[]) => JsonSchema
  readonly nullable: (schema: JsonSchema) => JsonSchema
} = {
  any: {},
  boolean: { type: 'boolean' },
  count: { type: 'integer', minimum: 0 },
  digest: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
  instant: { type: 'number', minimum: 0 },
  object: { type: 'object' },
  text: { type: 'string' },
  members: (required, optional = {}) => ({
    ...toMembers(required, optional),
    additionalProperties: false,
  }),
  membersAndOthers: toMembers,
  list: (items, maxItems) => ({
    type: 'array',
    items,
    ...(maxItems !== undefined && { maxItems }),
  }),
  map: (values) => ({ type: 'object', additionalProperties: values }),
  oneOf: (...texts) => ({ type: 'string', enum: texts }),
  nullable: (schema) => ({ anyOf: [{ type: 'null' }, schema] }),
}

function toMembers(
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
  }
}
