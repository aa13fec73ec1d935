import type { RecordKind } from '../../packages/platform/src/index.ts'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { AUTH_UI_RECORDS } from '../../packages/auth-ui/src/records.ts'
import { connectorsRecords } from '../../packages/connectors/src/records.ts'
import { ACTIVITY_RECORDS } from '../../packages/activity/src/records.ts'
import { NOTIFY_RECORDS } from '../../packages/notify/src/outbox/records.ts'
import { OAUTH_RECORDS } from '../../packages/oauth-core/src/records.ts'
import { PLATFORM_RECORDS } from '../../packages/platform/src/records.ts'
import { hostRecords } from '../../examples/host/src/records.ts'
import { type Document, ROOT, table } from './document.ts'

const FILE = 'docs/data-model.md'
const NAMESPACE = 'io.svc'

const PARTS: Readonly<Record<string, readonly RecordKind[]>> = {
  platform: PLATFORM_RECORDS,
  'oauth-core': OAUTH_RECORDS,
  'auth-ui': AUTH_UI_RECORDS,
  connectors: connectorsRecords(NAMESPACE),
  activity: ACTIVITY_RECORDS,
  notify: NOTIFY_RECORDS,
  host: hostRecords(NAMESPACE),
}

/** `docs/data-model.md`: the tables between its marks come from the declarations of the packages. */
export function dataModel(): Document {
  const present = readFileSync(path.join(ROOT, FILE), 'utf8')
  const content = present.replaceAll(
    /(<!-- records of ([\w-]+) -->\n)[\s\S]*?(<!-- end of records -->)/g,
    (_, begin: string, part: string, end: string) => `${begin}\n${tableOf(part)}\n${end}`,
  )
  return { file: FILE, content }
}

/** Declarations that the document has no place for. */
export function recordTableFaults(): string[] {
  const present = readFileSync(path.join(ROOT, FILE), 'utf8')
  return Object.keys(PARTS)
    .filter((part) => !present.includes(`<!-- records of ${part} -->`))
    .map((part) => `${FILE} has no place for the records of ${part}`)
}

function tableOf(part: string): string {
  const kinds = PARTS[part] ?? []
  return table(
    ['Kind', 'Content', 'Life', 'Found by', 'Sealed', 'Exported', 'Version'],
    kinds.map((kind) => [
      `\`${kind.kind}\``,
      kind.content,
      kind.life,
      placeOf(kind),
      (kind.sealed ?? []).map(({ path: names }) => `\`${names.join('.') || 'all'}\``).join(', '),
      kind.export === 'yes' ? 'yes' : `no. ${kind.export.no}`,
      String(kind.version),
    ]),
  )
}

function placeOf({ places, isCounter, tags }: RecordKind): string {
  const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')
  const tag = tags === 'instance' || isCounter === true ? '' : `; tag ${shown(tags)}`
  if (places.by === 'ids') return `id ${quoted(places.ids)}${tag}`
  if (places.by === 'index') return `index ${quoted([places.index])}${tag}`
  if (places.by === 'indexes') return `indexes ${quoted(places.indexes)}${tag}`
  if (places.by === 'nobody') return `nobody${tag}`
  const how = places.by === 'ids-of' ? 'an id' : 'an index'
  return `${how} of each \`${places.parent}\`${tag}`
}

function shown(tags: readonly string[]): string {
  const [first = '', ...others] = tags
  return others.length === 0 ? `\`${first}\`` : `\`${first}\` to \`${others.at(-1)}\``
}
