import type { CallToolResult } from '@modelcontextprotocol/server'
import { ENVELOPE_BYTES, MAX_ANSWER_BYTES } from '../limits.ts'
import { cleanDeep } from '../text/clean-text.ts'
import { ToolError } from '../tool-error.ts'

/**
 * A tool's result as clients get it: structured, and the same JSON as a text.
 * @throws ToolError `too_large`
 * @see assistants.md 6.4
 */
export function resultOf(given: object): { result: CallToolResult; bytes: number } {
  // Only members come out of an object.
  const structuredContent = cleanDeep(given) as Record<string, unknown>
  const text = JSON.stringify(structuredContent)
  const bytes = Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))
  if (bytes > MAX_ANSWER_BYTES - ENVELOPE_BYTES) throw new ToolError('too_large')
  return { result: { content: [{ type: 'text', text }], structuredContent }, bytes }
}

/**
 * What a model can mend. It stands in the text alone: published clients hold structured content against the schema of
 * the tool's results, whatever the result says of itself (docs/decisions/0545).
 */
export function errorResult({ code, message, retryAfterSeconds }: ToolError): CallToolResult {
  const text = JSON.stringify({
    code,
    message,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
  return { content: [{ type: 'text', text }], isError: true }
}
