/** The words of JSON Schema that single options need; a longer value is a list, a record or an object of these. */
export interface JsonSchema {
  readonly type: 'boolean' | 'integer' | 'string'
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

/**
 * Whether a value satisfies the schema. These few words are not worth a compiler, which would be the largest part of a
 * store and of a short start; a test compares the answers with those of ajv.
 */
export function fitsSchema(schema: JsonSchema, value: unknown): boolean {
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return typeof value === 'number' && isInRange(schema, value)
    case 'string':
      return typeof value === 'string' && isText(schema, value)
  }
}

function isInRange(schema: JsonSchema, value: number): boolean {
  const { minimum = -Infinity, maximum = Infinity, multipleOf = 1 } = schema
  return (
    Number.isSafeInteger(value) && value >= minimum && value <= maximum && value % multipleOf === 0
  )
}

function isText(schema: JsonSchema, value: string): boolean {
  if (schema.enum !== undefined) return schema.enum.includes(value)
  const { minLength = 0, maxLength = Infinity, pattern = '' } = schema
  const length = [...value].length
  return length >= minLength && length <= maxLength && new RegExp(pattern, 'u').test(value)
}
