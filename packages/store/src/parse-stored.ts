import { type Json, parseExact } from './json.ts'

/** JSON that this package wrote. @throws Error without what it read: it ends up in logs */
export function parseStored(text: string): Json {
  try {
    return parseExact(text) as Json // What the package wrote was JSON.
  } catch {
    throw new Error('what is stored cannot be read')
  }
}
