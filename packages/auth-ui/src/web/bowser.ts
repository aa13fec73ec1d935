import { createRequire } from 'node:module'
import type library from 'bowser'

const load = createRequire(import.meta.url)

/** The library that reads a `User-Agent`, loaded with the first one. @see docs/decisions/0721 */
export function bowser(): typeof library {
  return load('bowser') as typeof library
}
