import { inspect } from 'node:util'
import type { Secret } from './account-type.ts'

const REDACTED = '[redacted]'

/**
 * Keeps a value from being printed by mistake: the value is out of reach of loggers, `inspect` and `JSON.stringify`.
 * @see connectors.md 3.3 (3)
 */
export function createSecret<Value>(value: Value): Secret<Value> {
  const secret: Secret<Value> = {
    reveal: () => value,
    toJSON: () => REDACTED,
    toString: () => REDACTED,
  }
  return Object.freeze(
    Object.defineProperty(secret, inspect.custom, { value: () => REDACTED, enumerable: false }),
  )
}
