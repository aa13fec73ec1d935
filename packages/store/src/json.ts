/** A JSON value. Records are stored as JSON: what does not survive `JSON.stringify` is lost. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined }

/** As long as 2^53: shorter integers are exact numbers. */
const LONG = /\d{16}/
const INTEGER = /^-?\d+$/

/** ES2026, of which TypeScript's library knows nothing yet. */
interface ExactJson {
  parse(
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}

const json = JSON as unknown as ExactJson // It is there in every Node that is supported.

/**
 * Parses JSON whose integers beyond 2^53 keep their digits. They come as the objects of `JSON.rawJSON`, which
 * `JSON.stringify` writes as those very numbers; {@link isLongInteger} tells them from other objects, for code that copies
 * members. All other values are those of `JSON.parse`.
 * @throws SyntaxError; RangeError for what is nested too deep
 * @example
 * JSON.stringify(parseExact('{"user_id":17841405822304915}')) // the same text
 */
export function parseExact(text: string): unknown {
  return LONG.test(text) ? json.parse(text, exact) : (JSON.parse(text) as unknown)
}

/**
 * Parses what was written as JSON by this package: an integer that a number holds with the same digits is that number, as it
 * was put. Others keep their digits, as {@link parseExact} has them.
 * @throws SyntaxError; RangeError for what is nested too deep
 */
export function parseWritten(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text)
  return json.parse(text, (name, value, context) =>
    typeof value === 'number' && String(value) === context.source
      ? value
      : exact(name, value, context),
  )
}

/**
 * Whether a value is an integer that {@link parseExact} kept the digits of.
 * @example
 * isLongInteger(parseExact('9007199254740993')) // true
 */
export function isLongInteger(value: unknown): boolean {
  return json.isRawJSON(value)
}

function exact(_name: string, value: unknown, { source = '' }: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  return INTEGER.test(source) ? json.rawJSON(source) : value
}
