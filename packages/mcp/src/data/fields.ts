import type { Json } from '@svc/store'
import { MAX_BODY_BYTES } from '../limits.ts'
import { ToolError } from '../tool-error.ts'

/** Members of a document, as a client gives them. */
export type Fields = Readonly<Record<string, Json>>

/** @see assistants.md 6.6 */
export const FIELDS = {
  type: 'object',
  minProperties: 1,
  maxProperties: 200,
} as const

/**
 * How large the fields of a write are.
 * @throws ToolError `invalid_fields` for a name that is the server's, `too_large`
 */
export function bytesOf(fields: Fields): number {
  if (Object.keys(fields).some((name) => name.startsWith('_'))) {
    throw new ToolError('invalid_fields')
  }
  const bytes = Buffer.byteLength(JSON.stringify(fields))
  if (bytes > MAX_BODY_BYTES) throw new ToolError('too_large')
  return bytes
}
