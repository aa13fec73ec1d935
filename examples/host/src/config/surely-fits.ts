import { compiledSchema } from '@svc/platform'
import { fitsSchema, type JsonSchema } from '@svc/store/options'
import type { ErrorObject } from 'ajv'

/** The words of JSON Schema that are looked at here besides those of single values. */
interface ObjectSchema {
  readonly type: 'object'
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, object>>
  readonly additionalProperties?: object | false
  readonly propertyNames?: object
  readonly minProperties?: number
  readonly maxProperties?: number
}

interface ArraySchema {
  readonly type: 'array'
  readonly items?: object
}

type AnyObject = Readonly<Record<string, unknown>>

const OBJECT_WORDS = new Set([
  'type',
  'required',
  'properties',
  'additionalProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
])
const ARRAY_WORDS = new Set(['type', 'items'])
const VALUE_WORDS = new Set<string>([
  'type',
  'enum',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
] satisfies (keyof JsonSchema)[])

/**
 * What Ajv says of a value, without asking it about one that surely fits. That the schema is one is for a test to say:
 * its own schema takes longer to compile than what is looked at.
 */
export function schemaFaults(schema: object, value: unknown): readonly ErrorObject[] {
  if (surelyFits(schema, value)) return []
  const isValid = compiledSchema(schema, { allErrors: true, validateSchema: false, meta: false })
  return isValid(value) ? [] : (isValid.errors ?? [])
}

/**
 * Whether a value surely satisfies a JSON Schema. False also when a word of the schema is not known here: then Ajv has
 * to be asked, which knows all of them and says what is wrong. Settings and manifests are looked at on every start, and
 * are hardly ever wrong; a start without Ajv is a tenth shorter.
 * @see docs/decisions/0740
 */
export function surelyFits(schema: object, value: unknown): boolean {
  if (hasType(schema, 'object', OBJECT_WORDS)) return isObject(schema as ObjectSchema, value)
  if (hasType(schema, 'array', ARRAY_WORDS)) return isArray(schema as ArraySchema, value)
  // A name is a string without saying so.
  const single: AnyObject = { type: 'string', ...schema }
  const isKnown = ['boolean', 'integer', 'string'].includes(String(single['type']))
  if (!isKnown || !Object.keys(single).every((word) => VALUE_WORDS.has(word))) return false
  return fitsSchema(single as unknown as JsonSchema, value)
}

function hasType(schema: object, type: string, words: ReadonlySet<string>): boolean {
  return (
    'type' in schema && schema.type === type && Object.keys(schema).every((word) => words.has(word))
  )
}

function isObject(schema: ObjectSchema, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { required = [], properties = {}, additionalProperties, propertyNames } = schema
  const { minProperties = 0, maxProperties = Infinity } = schema
  const members = Object.entries(value)
  return (
    members.length >= minProperties &&
    members.length <= maxProperties &&
    required.every((name) => Object.hasOwn(value, name)) &&
    members.every(([name, member]) => {
      if (propertyNames !== undefined && !surelyFits(propertyNames, name)) return false
      const own = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
      return own === undefined || (own !== false && surelyFits(own, member))
    })
  )
}

function isArray({ items }: ArraySchema, value: unknown): boolean {
  return (
    Array.isArray(value) && (items === undefined || value.every((item) => surelyFits(items, item)))
  )
}
