import type { Verb } from '@svc/oauth-core'
import type { Need, ObjectSchema } from '../tools/tool.ts'

/** A kind of data: a doctype without wildcards. */
export const KIND = {
  type: 'string',
  maxLength: 128,
  pattern: '^[a-z0-9_]{1,60}(\\.[a-z0-9_]{1,60}){1,7}$',
  description: 'Kind of data, as list_kinds names it.',
} as const

/** A document, as tools name it. */
export const ID = {
  type: 'string',
  minLength: 3,
  maxLength: 300,
  description: 'Id as list and search give it: <kind>/<document>.',
} as const

/** What the caller saw last. */
export const REVISION = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description: 'metadata.revision of the document, as fetch gave it last.',
} as const

export const LIMIT = {
  type: 'integer',
  minimum: 1,
  maximum: 50,
  default: 20,
  description: 'How many at most.',
} as const
export const DEFAULT_LIMIT = 20

/** Of every result that has words of documents. */
export const PROVENANCE = { source: { type: 'string' }, trust: { type: 'string' } } as const

export function input(
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = [],
): ObjectSchema {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Clients get used to results that have more than they know. */
export function output(
  properties: Readonly<Record<string, object>>,
  required: readonly string[],
): ObjectSchema {
  return { type: 'object', properties, required }
}

/** An id as tools name documents: with its kind. */
export function documentId({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}/${id}`
}

/**
 * What a call about a kind needs. Of a kind that is not offered nothing: there is no such document, and no owner is
 * asked for what cannot be given.
 */
export function needOf(verb: Verb, kind: string | undefined, kinds: readonly string[]): Need[] {
  return kind !== undefined && kinds.includes(kind) ? [{ verb, type: kind }] : []
}

export function parseDocumentId(name: string): { readonly kind: string; readonly id: string } {
  const [kind = '', ...rest] = name.split('/')
  return { kind, id: rest.join('/') }
}
