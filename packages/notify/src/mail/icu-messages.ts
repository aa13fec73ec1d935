import { createRequire } from 'node:module'
import type * as library from 'intl-messageformat'

const load = createRequire(import.meta.url)

/** The library of messages with plurals and choices, loaded with the first of them. @see docs/decisions/0721 */
export function icuMessages(): typeof library {
  return load('intl-messageformat') as typeof library
}
