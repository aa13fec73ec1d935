import { fileVariable } from '../../examples/host/src/config/secret-files.ts'
import { listEntries, type NamedEntry } from '../../examples/host/src/config/entries.ts'
import { type Document, GENERATED, table } from './document.ts'

/** `docs/configuration.md` from the host's configuration schema. */
export function configuration(): Document {
  const parts = [
    '# Configuration of the example host',
    GENERATED,
    INTRODUCTION,
    table(['Variable', 'In the file', 'Kind', 'Default', 'What it is'], listEntries().map(row)),
  ]
  return { file: 'docs/configuration.md', content: parts.join('\n\n') }
}

const INTRODUCTION = `Environment variables, or one JSON file named by \`SVC_CONFIG\`; a variable wins over the file. Everything is checked
at the start: unknown or wrong entries stop it, with every fault listed. Durations read \`500ms\`, \`2s\`, \`5m\`, \`12h\`,
\`30d\`.

Every secret can come from a file instead, as containers and systemd hand them over: the variable with \`_FILE\` at its
end names the file, and one line end after the value is left out. A variable and its \`_FILE\` together are a fault.`

function row(named: NamedEntry): string[] {
  const { path, env, entry } = named
  const file = fileVariable(named, listEntries())
  const variables = file === undefined ? `\`${env}\`` : `\`${env}\`, \`${file}\``
  return [variables, `\`${path}\``, kind(entry), fallback(entry), entry.description]
}

function kind(entry: NamedEntry['entry']): string {
  if (entry.enum !== undefined) return entry.enum.map((value) => `\`${value}\``).join(', ')
  if (entry.type === 'boolean') return '`on`, `off`'
  const range = [entry.minimum, entry.maximum].map((limit) => limit?.toLocaleString('en') ?? '')
  const bounds = range.every((limit) => limit === '') ? '' : `, ${range.join(' to ')}`
  return `${entry.type}${bounds}${entry.isSecret === true ? ', secret' : ''}`
}

function fallback(entry: NamedEntry['entry']): string {
  if (entry.defaultText !== undefined) return entry.defaultText
  if (entry.default === undefined) return 'unset'
  if (typeof entry.default === 'boolean') return entry.default ? '`on`' : '`off`'
  return `\`${entry.default}\``
}
