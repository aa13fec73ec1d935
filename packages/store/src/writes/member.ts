/**
 * An index member as text: the sort, a NUL, the record's key. NUL is smaller than every other byte and never part
 * of a sort, so that members order by sort first, then by key.
 */
export function memberText(sort: string, key: string): string {
  return `${sort}\u0000${key}`
}

/** A page's cursor: the last member seen. */
export function cursorText(member: string): string {
  return Buffer.from(member).toString('base64url')
}

/** A member taken apart. */
export interface Member {
  readonly text: string
  readonly sort: string
  readonly key: string
}

/**
 * The member that a cursor names.
 * @throws TypeError when it cannot come from an earlier page
 */
export function readCursor(cursor: string): Member {
  const text = Buffer.from(cursor, 'base64url').toString()
  const end = text.indexOf('\u0000')
  if (end < 0 || cursorText(text) !== cursor) throw new TypeError('malformed cursor')
  return { text, sort: text.slice(0, end), key: text.slice(end + 1) }
}
