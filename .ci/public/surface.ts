import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { eventSurface } from '../../docs/build/events.ts'
import { expectedBody } from '../../docs/build/bodies.ts'
import { optionSurface } from '../../docs/build/options.ts'
import { errorGroups, routeGroups } from '../../docs/build/routes.ts'
import { createProgram } from '../../examples/host/src/cli/program.ts'
import { listEntries } from '../../examples/host/src/config/entries.ts'
import { EXIT_CODES } from '../../examples/host/src/exit-codes.ts'
import { LOG_TABLES } from '../../examples/host/src/log/log-events.ts'
import { METRICS, type MetricRow } from '../../examples/host/src/monitoring/metric-table.ts'
import { MODEL_NUMBERS } from '../../packages/auth-ui/src/pages/view-option.ts'
import { SLOT_NAMES } from '../../packages/auth-ui/src/pages/slots.ts'
import { main as contract } from '../../packages/contract/src/cli/program.ts'
import { EXIT as CONTRACT_EXIT } from '../../packages/contract/src/report/counts.ts'
import { sampleMails } from '../../packages/notify/src/mail/sample-mails.ts'
import { sampleInstance } from '../../packages/notify/test/sample-instance.ts'
import { type ApiReport, declarationsOf } from './api-reports.ts'

/** What others build on: by package, by area such as `option`, by name; each with what they may rely on. */
export type Surface = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
>

type Item = readonly [owner: string, area: string, name: string, rule: string]

type Program = Pick<
  ReturnType<typeof createProgram>,
  'commands' | 'name' | 'options' | 'registeredArguments'
>

const HOST = '@svc/example-host'
/** A rule that is longer is kept as its digest: its words are in the generated references. */
const LONGEST = 100

/** Everything that `docs/stability.md` promises, as the code has it now. */
export async function publicSurface(root: string, reports: readonly ApiReport[]): Promise<Surface> {
  const items: Item[] = [
    ...reports.flatMap(exportItems),
    ...optionSurface().map(
      ([module, name, rule]): Item => [packageOf(module), 'option', name, rule],
    ),
    ...(await routeItems()),
    ...errorItems(),
    ...eventSurface().map(
      ([folder, name, carries]): Item => [
        folder === 'host' ? HOST : `@svc/${folder}`,
        'event',
        name,
        carries,
      ],
    ),
    ...pageItems(root),
    ...textItems(root),
    ...mailItems(),
    ...hostItems(),
    ...(await commandItems(root)),
  ]
  const surface: Record<string, Record<string, Record<string, string>>> = {}
  for (const [name, area, item, rule] of items.toSorted(byName)) {
    const of = ((surface[name] ??= {})[area] ??= {})
    of[item] = rule.length > LONGEST ? digest(rule) : rule
  }
  return surface
}

function exportItems(report: ApiReport): Item[] {
  return [...declarationsOf(report)].map(([name, text]) => [
    report.package,
    'export',
    `${report.entry} ${name}`,
    digest(text),
  ])
}

async function routeItems(): Promise<Item[]> {
  const groups = await routeGroups()
  return groups.flatMap(({ name, rows }) =>
    rows.map((row): Item => {
      const body =
        row.body === undefined ? '' : `, body ${digest(JSON.stringify(expectedBody(row.body)))}`
      const rule = `${row.statuses.join(' ')}${body}`
      return [name === 'examples/host' ? HOST : name, 'path', `${row.method} ${row.path}`, rule]
    }),
  )
}

function errorItems(): Item[] {
  return errorGroups.flatMap(({ name, errors }) =>
    Object.entries(errors).map(([code, row]): Item => [name, 'code', code, String(row.status)]),
  )
}

function pageItems(root: string): Item[] {
  const sheet = readFileSync(path.join(root, 'packages/auth-ui/app-kit/_kit/tokens.css'), 'utf8')
  const properties = new Set([...sheet.matchAll(/(--[a-z][\w-]*):/g)].map(([, name = '']) => name))
  return [
    ...Object.entries(MODEL_NUMBERS).map(
      ([page, number]): Item => ['@svc/auth-ui', 'page model', page, String(number)],
    ),
    ...SLOT_NAMES.map((slot): Item => ['@svc/auth-ui', 'slot', slot, 'paragraphs']),
    ['@svc/notify', 'slot', 'mail.footer', 'paragraphs'],
    ...[...properties].map((name): Item => ['@svc/auth-ui', 'custom property', name, 'a value']),
  ]
}

/** Keys of texts with their placeholders: what a host may say in the place of a text. */
function textItems(root: string): Item[] {
  const files = globSync('packages/*/{,*/}locales/en.json', { cwd: root }).toSorted()
  return files.flatMap((file) => {
    const [, folder = '', part = ''] = file.split(path.sep)
    const where = part === 'locales' ? '' : `${part} `
    // A catalogue of this repository: texts by key.
    const texts = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Record<string, string>
    return Object.entries(texts).map(([key, text]): Item => {
      const names = new Set([...text.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, name = '']) => name))
      return [`@svc/${folder}`, 'text key', `${where}${key}`, [...names].toSorted().join(' ')]
    })
  })
}

function mailItems(): Item[] {
  const used = new Map<string, Set<string>>()
  for (const { template, variables } of sampleMails(sampleInstance(), 0).values()) {
    const names = used.get(template) ?? new Set()
    for (const name of Object.keys(variables)) names.add(name)
    used.set(template, names)
  }
  return [...used].map(([template, names]) => [
    '@svc/notify',
    'mail',
    template,
    [...names].toSorted().join(' '),
  ])
}

/** Settings, metrics and lines of the log. */
function hostItems(): Item[] {
  return [
    ...listEntries().map(
      ({ env, entry }): Item => [
        HOST,
        'setting',
        env,
        `default ${JSON.stringify(entry.default ?? entry.defaultText ?? null)}`,
      ],
    ),
    ...Object.entries<MetricRow>(METRICS).map(
      ([name, { type, labels = [] }]): Item => [HOST, 'metric', name, [type, ...labels].join(' ')],
    ),
    ...Object.entries(LOG_TABLES).flatMap(([name, events]) =>
      Object.entries(events).map(([event, row]): Item => {
        const fields = Object.entries(row.fields ?? {}).map(([field, type]) => `${field}: ${type}`)
        const rule = [row.level, ...(row.audit === true ? ['audit'] : []), ...fields].join(', ')
        return [name.startsWith('@') ? name : HOST, 'log event', event, rule]
      }),
    ),
  ]
}

async function commandItems(root: string): Promise<Item[]> {
  let help = ''
  await contract(['--help'], {
    out: (text) => void (help += text),
    err: (text) => void (help += text),
    memory: () => 0,
    environment: {},
    signal: new AbortController().signal,
  })
  const options = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, name = '']) => name)
  const commands = [...help.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name)
  return [
    ...commandsOf(createProgram(), []),
    ...exitItems(HOST, EXIT_CODES),
    ['@svc/contract', 'command', 'svc-contract', [...commands, ...options].toSorted().join(' ')],
    ...exitItems('@svc/contract', { 'svc-contract': CONTRACT_EXIT }),
    ...globSync('packages/*/package.json', { cwd: root }).flatMap((file) => {
      // A manifest of this repository.
      const { name, bin = {} } = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as {
        name: string
        bin?: Record<string, string>
      }
      return Object.keys(bin).map((each): Item => [name, 'command', `npx ${each}`, 'a program'])
    }),
  ]
}

function commandsOf(command: Program, above: readonly string[]): Item[] {
  const names = [...above, command.name()]
  const parts = [
    ...command.registeredArguments.map((argument) => argument.name()),
    ...command.options.map(({ flags }) => flags),
  ]
  return [
    [HOST, 'command', names.join(' '), parts.join(' ')],
    ...command.commands.flatMap((inner) => commandsOf(inner, names)),
  ]
}

function exitItems(
  name: string,
  codes: Readonly<Record<string, Readonly<Record<string, number>>>>,
): Item[] {
  return Object.entries(codes).map(([of, meanings]) => [
    name,
    'exit code',
    of,
    Object.entries(meanings)
      .map(([meaning, code]) => `${code} ${meaning}`)
      .join(', '),
  ])
}

/** The package of a module, such as `@svc/store` of `@svc/store/sqlite`. */
function packageOf(module: string): string {
  return module.split('/').slice(0, 2).join('/')
}

function byName(one: Item, other: Item): number {
  const [left, right] = [one.slice(0, 3).join('\0'), other.slice(0, 3).join('\0')]
  return left < right ? -1 : Number(left > right)
}

function digest(text: string): string {
  return `sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}
