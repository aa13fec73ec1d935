import { type Json, parseWritten } from './json.ts'

/** JSON that this package wrote. @throws Error without what it read: it ends up in logs */
export function parseStored(text: string): Json {
  try {
    return parseWritten(text) as Json // What the package wrote was JSON.
  } catch {
    throw new Error('what is stored cannot be read')
  }
}
