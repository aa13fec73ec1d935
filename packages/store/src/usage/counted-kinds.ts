import { recordKey } from '../keys.ts'
import { list, type Option, text } from '../options/index.ts'

/** Far more than there are. */
const MAX_KINDS = 200

/** The kinds of records whose bytes an engine counts. */
export const countedKinds: Option<readonly string[], readonly string[], false> = list(
  text('a kind of record', { pattern: '^[a-z][a-z0-9-]{0,31}$' }),
  MAX_KINDS,
).or([], 'none')

/** The hash tag of an instance, `{<instance>}`. @throws TypeError when its id is malformed */
export function tagOf(instance: string): string {
  const key = recordKey(instance, 'usage', 'usage')
  return key.slice(0, key.indexOf('}:') + 1)
}

/** The kind of a record, of its key. */
export function kindOf(key: string): string {
  const start = key.indexOf('}:') + 2
  return key.slice(start, key.indexOf(':', start))
}
