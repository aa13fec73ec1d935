import { createRequire } from 'node:module'
import type * as library from 'otplib'

const load = createRequire(import.meta.url)

/** The library of one-time codes, loaded with the first code. @see docs/decisions/0721 */
export function otplib(): typeof library {
  return load('otplib') as typeof library
}
