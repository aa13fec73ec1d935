import { isLongInteger, type Json } from '@svc/store'

/** The one text of a JSON value: members in the order of their UTF-16 code units, no space. @see RFC 8785 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((entry: Json) => canonicalJson(entry)).join(',')}]`
  // RFC 8785 3.2.2 takes numbers, texts and literals as ECMAScript writes them.
  if (value === null || typeof value !== 'object' || isLongInteger(value)) {
    return JSON.stringify(value)
  }
  const members = Object.entries(value)
    .filter((member): member is [string, Json] => member[1] !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}
