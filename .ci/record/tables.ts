import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { logPage } from '../../docs/build/logs.ts'
import { metricsPage } from '../../docs/build/metrics.ts'
import { entrySources } from './entries.ts'
import { optionFaults } from './option-faults.ts'
import { type Part, ROOT } from './part.ts'

/** The interface that is no answer: metrics, log events, faults of settings and options, operations, exported names. */
export async function tables(): Promise<Part[]> {
  return [
    ...rowsOf('metric', metricsPage().content),
    ...rowsOf('log event', logPage().content),
    settingFaults('a wrong value', /(?<!_FILE)$/),
    settingFaults('-1', /(?<!_FILE)$/),
    settingFaults('/nowhere/at/all', /_FILE$|^SVC_CONFIG$/),
    ...(await optionFaults()),
    ...operations('openapi.json'),
    ...operations('admin-openapi.json'),
    ...exportedNames(),
  ]
}

/** Rows of the tables of a document, each under its first cell. The last column of log events is their release. */
function rowsOf(kind: string, content: string): Part[] {
  const rows = content.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((line) => {
    const [name = '', ...cells] = line.slice(2, -2).split(/(?<!\\) \| ?/)
    return { title: `${kind} ${name.replaceAll('`', '')}`, text: cells.join('\n') }
  })
}

/** What a start says when every setting of the documents with such a name has this value. */
function settingFaults(value: string, like: RegExp): Part {
  const documented = readFileSync(path.join(ROOT, 'docs/configuration.md'), 'utf8')
  const names = new Set(documented.match(/\bSVC_[A-Z0-9_]*[A-Z0-9]\b/g))
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], SVC_NONSENSE: '1' }
  for (const name of names) if (like.test(name)) env[name] = value
  const started = spawnSync(process.execPath, ['--conditions=source', 'src/main.ts'], {
    cwd: path.join(ROOT, 'examples/host'),
    env,
    encoding: 'utf8',
  })
  const said = (started.stdout + started.stderr).split('\n').map((line) => line.trim())
  return {
    title: `settings = ${value}`,
    text: `exit code ${started.status}\n${said.toSorted().join('\n')}`,
  }
}

/** A digest each: the files are committed. */
function operations(file: string): Part[] {
  interface Described {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  // A file of this repository.
  const {
    paths,
    components = {},
    ...rest
  } = JSON.parse(readFileSync(path.join(ROOT, 'docs', file), 'utf8')) as Described
  const nested = { ...paths, ...components }
  const entries = Object.entries(nested).flatMap(([name, members]) =>
    Object.entries(members).map(([member, value]) => [`${name} ${member}`, value] as const),
  )
  return [...entries, ['the rest', rest] as const].map(([name, value]) => ({
    title: `${file} ${name}`,
    text: createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16),
  }))
}

/** Values and types by entry of each package, as the entry lists them. */
function exportedNames(): Part[] {
  return [...entrySources()].flatMap(([entry, source]) =>
    namesIn(readFileSync(path.join(ROOT, source), 'utf8')).map(([name, kind]) => ({
      title: `export ${entry} ${name}`,
      text: kind,
    })),
  )
}

/** `export *` is refused: its names stand elsewhere. */
function namesIn(text: string): (readonly [name: string, kind: string])[] {
  if (/^export \*/m.test(text))
    throw new Error('an entry exports by *, which the record cannot read')
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, type, list = '']) =>
    list.split(',').flatMap((item) => {
      const [, own, name, other] = /^\s*(type )?(\w+)(?: as (\w+))?\s*$/.exec(item) ?? []
      const exported = other ?? name
      const kind = (type ?? own) === undefined ? 'value' : 'type'
      return exported === undefined ? [] : [[exported, kind] as const]
    }),
  )
  const own = [
    ...text.matchAll(
      /^export (?:declare )?(?:async )?(?:abstract )?(const|function\*?|class|let|type|interface|enum) (\w+)/gm,
    ),
  ].map(([, word = '', name = '']) => {
    return [name, /type|interface/.test(word) ? 'type' : 'value'] as const
  })
  return [...lists, ...own].toSorted(([one], [other]) => (one < other ? -1 : 1))
}
