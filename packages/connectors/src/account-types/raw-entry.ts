import { inspect } from 'node:util'
import type { AccountTypeEntry } from './account-type.ts'
import { maskEntry } from './secret-fields.ts'

/** The entry, its secrets masked wherever it is printed as a whole. @see connectors.md 3.3 (3) */
export function guardPrinting(entry: AccountTypeEntry): AccountTypeEntry {
  const copy = { ...entry }
  const masked = { value: () => maskEntry(entry), enumerable: false }
  return Object.freeze(Object.defineProperties(copy, { toJSON: masked, [inspect.custom]: masked }))
}
