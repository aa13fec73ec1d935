/** What a model can mend, or tell its owner. Fixed texts: nothing of a document or of the call. @see assistants.md 6.9 */
export const TOOL_ERRORS = {
  conflict: 'It was changed meanwhile, or another document was made under this key.',
  invalid_fields: 'The fields cannot be stored as they are.',
  limit_reached: 'Too much was asked in a short time. Wait before calling again.',
  not_found: 'There is no such document.',
  permission_refused:
    'The owner did not allow this. Ask the owner to connect again and to allow it.',
  quota_exceeded: 'The space of the owner is full.',
  shared_document: 'The document is shared, and is not changed from here.',
  too_large: 'It is too large. Ask for less at a time.',
  try_later: 'The server cannot do this at the moment. Try again later.',
} as const

/**
 * What a tool refuses with: the assistant reads it in the result of its call. Texts are those of `TOOL_ERRORS`.
 * @see docs/assistants.md of the repository
 * @example
 * throw new ToolError('not_found' satisfies ToolErrorCode)
 */
export type ToolErrorCode = keyof typeof TOOL_ERRORS

/** A refusal that is a result of the tool, for the model. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
  readonly code: ToolErrorCode
  readonly retryAfterSeconds?: number

  constructor(code: ToolErrorCode, options: { readonly retryAfterSeconds?: number } = {}) {
    super(TOOL_ERRORS[code])
    this.code = code
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds
  }
}
