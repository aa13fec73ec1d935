import { type IndexEntry, type IndexKey, indexKey } from '@svc/store'
import { ACCOUNT_TYPES_TAG, type AccountTypeEntry } from './account-type.ts'
import { parseAccountTypeId } from './account-type-id.ts'

const SLUG = /^[a-z0-9-]{1,64}$/

/** How many entries of one slug are found. @see connectors.md 2.3 (3) */
export const MAX_OF_SLUG: number = 100

export const ALL_ACCOUNT_TYPES: IndexKey = indexKey(ACCOUNT_TYPES_TAG, 'account-types')

/** Entries of a slug in one context, or the global ones. */
export function slugIndex(slug: string, context: string | undefined): IndexKey {
  const name = context === undefined ? slug : `${context}/${slug}`
  return indexKey(ACCOUNT_TYPES_TAG, `slug:${name}`)
}

/** Where an entry is listed. */
export function indexesOf({ _id: sort, slug }: AccountTypeEntry): readonly IndexEntry[] {
  const all = { index: ALL_ACCOUNT_TYPES, sort }
  if (typeof slug !== 'string' || !isAccountTypeSlug(slug)) return [all]
  return [all, { index: slugIndex(slug, parseAccountTypeId(sort)?.context), sort }]
}

export function isAccountTypeSlug(slug: string): boolean {
  return SLUG.test(slug)
}
