import { createRequire } from 'node:module'
import type * as library from 'ajv'
import type { Options, ValidateFunction } from 'ajv'

const load = createRequire(import.meta.url)
const compiled = new WeakMap<object, ValidateFunction>()

/**
 * The check of a JSON schema. It is compiled when it is first asked for, and once in a process: that takes tens of
 * milliseconds, which neither a start nor a second server in the process has to wait for.
 * @param schema - a constant, always with the same options; compiled in Ajv's strict mode unless they say otherwise
 */
export function compiledSchema<Value>(
  schema: object,
  options: Options = {},
): ValidateFunction<Value> {
  let check = compiled.get(schema)
  if (check === undefined) {
    // Loaded with the first schema. @see docs/decisions/0721
    const { Ajv } = load('ajv') as typeof library
    check = new Ajv({ strict: true, ...options }).compile(schema)
    compiled.set(schema, check)
  }
  // The schema describes this very type.
  return check as ValidateFunction<Value>
}
