import type { Json } from '@svc/store'
import type { Fields } from '../documents/document-store.ts'

/** Members that documents are called by, the most telling first. */
const TITLES = ['title', 'name', 'fullname', 'displayName', 'subject', 'label'] as const
const CHANGES = ['updatedAt', 'updated_at', 'changedAt'] as const
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/

/** What a document is called; its id when it says nothing. */
export function titleOf(fields: Fields, id: string): string {
  const found = TITLES.map((name) => fields[name]).find(
    (value) => typeof value === 'string' && value.trim() !== '',
  )
  return typeof found === 'string' ? found : id
}

/** All members of a document, one a line. */
export function textOf(fields: Fields): string {
  return Object.entries(fields)
    .filter((member): member is [string, Json] => member[1] !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}

/** When a document says that it was changed. */
export function changedAtOf(fields: Fields): string | undefined {
  const found = CHANGES.map((name) => fields[name]).find(
    (value) => typeof value === 'string' && INSTANT.test(value),
  )
  return typeof found === 'string' ? found : undefined
}
