import { readFileSync } from 'node:fs'

/** The version of this server, as its package says it; all packages of this repository have the same. */
export const PRODUCT_VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly version: string // the package of this very file
  }
).version
