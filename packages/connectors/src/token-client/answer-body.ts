import { isLongInteger, parseExact } from '@svc/store'

/** An answer of a provider: no prototype, at any depth. */
export type AnswerRecord = Readonly<Record<string, unknown>>

const MAX_DEPTH = 32
const DROPPED = new Set(['__proto__', 'constructor', 'prototype'])
const FORM_NAME = /^[\w.~%+[\]-]+$/

/**
 * The object in a body: JSON, else a form, whatever `Content-Type` says. Undefined when it is neither, is no object, or
 * says something twice.
 * @see connectors.md 6.3 (2)
 */
export function parseAnswerBody(body: Uint8Array): AnswerRecord | undefined {
  // Leaves out a byte order mark.
  const text = new TextDecoder().decode(body)
  const parsed = parseJson(text)
  if (parsed === undefined) return parseForm(text.trim())
  try {
    const copied = copy(parsed.value, 0)
    return isRecord(copied) ? copied : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Whether a value is an object of names, and no array. */
export function isRecord(value: unknown): value is AnswerRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined when the path leads nowhere. */
export function valueAt(record: AnswerRecord, path: readonly string[]): unknown {
  let value: unknown = record
  for (const name of path) {
    if (!isRecord(value)) return undefined
    value = value[name]
  }
  return value
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseExact(text) }
  } catch {
    return undefined
  }
}

/** @throws RangeError when it is nested deeper than any provider's answer */
function copy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  // SPEC: D97 - an integer beyond 2^53, such as the id of a user, becomes a text.
  if (isLongInteger(value)) return JSON.stringify(value)
  if (depth >= MAX_DEPTH) throw new RangeError('nested too deep')
  if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1))
  const record: Record<string, unknown> = Object.create(null)
  for (const [name, item] of Object.entries(value)) {
    if (!DROPPED.has(name)) record[name] = copy(item, depth + 1)
  }
  return record
}

/** A name that comes twice makes the whole ambiguous. */
function parseForm(text: string): AnswerRecord | undefined {
  const names = text.split('&').map((pair) => pair.split('=', 1)[0] ?? '')
  const isForm = text.split('&').every((pair) => pair.includes('=')) && names.every(isFormName)
  if (!isForm) return undefined
  const record: Record<string, unknown> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in record) return undefined
    if (!DROPPED.has(name)) record[name] = value
  }
  return record
}

function isFormName(name: string): boolean {
  return FORM_NAME.test(name)
}
