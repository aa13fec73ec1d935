import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Document, GENERATED, ROOT, table } from './document.ts'
import { durationText } from './durations.ts'
import { type Interfaces, readInterfaces, withoutTags } from './interfaces.ts'
import { defaultCell, rangeText, typeText, unitText, wrongValueTexts } from './option-columns.ts'
import { DEFINED_FUNCTIONS, type DefinedFunction } from './option-definitions.ts'
import { defaultText, mustBe, type OptionRow, optionRows } from './option-rows.ts'
import { OPTIONS, type Versions, versionsFile, versionsOf } from './since.ts'

const FILE = 'docs/reference/options.md'
/** Definitions of parts: their options are those of functions that are listed. */
const WITHIN_OTHERS: ReadonlySet<string> = new Set(['ENTRY_GATE_OPTIONS'])

const INTRODUCTION = `What the functions of the packages can be told. Everything is checked when the function is called: an unknown name, at
any depth, a missing one and a wrong value are one \`TypeError\` with \`code\` \`invalid_options\`; its message has a line
for each fault, and \`faults\` has them as \`{ path, problem, hint? }\`. A value is never repeated. What must be given has
no default. An object of functions or methods is looked at for these; what else it has is its own.`

const COLUMNS = [
  'Option',
  'What it is',
  'Type',
  'Default',
  'Unit',
  'Range',
  'Since',
  'A wrong value says',
] as const

const COLUMN_WORDS = `An absent option is told \`is missing\`, and what it must be. Each page has one table for each function:

- **Type**: as the interface writes it.
- **Default**: what stands when nothing is given.
- **Unit**: what a number counts; a mere number has none.
- **Range**: which values are taken.
- **Since**: the first version that had the option; the last one of these may not be out yet.
- **A wrong value says**: the \`problem\` of the fault, as the definition says it of such values.`

/** `docs/reference/options/`: checks and defaults from the definitions, words from the interfaces. */
export function optionPages(): Document[] {
  const interfaces = readInterfaces()
  const versions = allVersions(interfaces)
  const packages = [...new Set(DEFINED_FUNCTIONS.map(packageOf))]
  const pages = packages.map((folder) => optionPage(folder, interfaces, versions))
  const index = table(
    ['Package', 'Functions'],
    packages.map((folder) => [
      `[\`@svc/${folder}\`](options/${folder}.md)`,
      functionsOf(folder)
        .map(({ name }) => `\`${name}\``)
        .join(', '),
    ]),
  )
  const content = ['# Options', GENERATED, INTRODUCTION, COLUMN_WORDS, index].join('\n\n')
  return [{ file: FILE, content }, ...pages, versionsFile(OPTIONS, versions)]
}

function optionPage(folder: string, interfaces: Interfaces, versions: Versions): Document {
  const functions = functionsOf(folder)
  const names = functions.map(({ name }) => `\`${name}\``).join(', ')
  const parts = functions.flatMap((defined) => [
    `## \`${defined.name}\` of \`${defined.module}\``,
    table(
      COLUMNS,
      optionRows(defined, interfaces).map((row) => [
        `\`${row.path}\``,
        withoutTags(row.comment),
        typeText(row),
        defaultCell(row.option),
        unitText(row.option),
        rangeText(row.option),
        versions[defined.name]?.[row.path] ?? '',
        wrongValueTexts(defined, row).join('; '),
      ]),
    ).trimEnd(),
  ])
  const lead = `Everything that ${names} can be told. What the columns mean, and how faults are reported: [all options](../options.md).`
  const content = [`# Options of @svc/${folder}`, GENERATED, lead, ...parts].join('\n\n')
  return { file: `docs/reference/options/${folder}.md`, content: `${content}\n` }
}

function functionsOf(folder: string): readonly DefinedFunction[] {
  return DEFINED_FUNCTIONS.filter((defined) => packageOf(defined) === folder)
}

/** The folder of the package that a function is imported from. */
function packageOf({ module }: DefinedFunction): string {
  return module.split('/')[1] ?? ''
}

function allVersions(interfaces: Interfaces): Versions {
  return versionsOf(
    OPTIONS,
    DEFINED_FUNCTIONS.map((defined) => ({
      name: defined.name,
      module: defined.module,
      between: ' ',
      names: optionRows(defined, interfaces).map((row) => row.path),
    })),
  )
}

/** Every option by its function, with what may be given and what stands when nothing is. */
export function optionSurface(): readonly (readonly [
  module: string,
  name: string,
  rule: string,
])[] {
  const interfaces = readInterfaces()
  return DEFINED_FUNCTIONS.flatMap((defined) =>
    optionRows(defined, interfaces).map(({ path: at, option }): [string, string, string] => [
      defined.module,
      `${defined.name} ${at}`,
      `${mustBe(option)}; default ${defaultText(option) || 'none'}`,
    ]),
  )
}

/** Options without words, defaults that an interface says differently, and definitions that are on no page. */
export function optionFaults(): string[] {
  const interfaces = readInterfaces()
  const faults = DEFINED_FUNCTIONS.flatMap((defined) =>
    optionRows(defined, interfaces).flatMap((row) => {
      const at = `${defined.name}: ${defined.type}.${row.path}`
      if (withoutTags(row.comment) === '') return [`${at} is not documented`]
      if (wrongValueTexts(defined, row).length === 0) return [`${at} takes whatever it is given`]
      const told = /@defaultValue ([^@]*)/.exec(row.comment)?.[1]?.trim()
      return isSaid(row, told) ? [] : [`${at} has another default: ${defaultText(row.option)}`]
    }),
  )
  const listed = readFileSync(path.join(ROOT, 'docs/build/option-definitions.ts'), 'utf8')
  for (const file of globSync('packages/*/src/**/*.ts', { cwd: ROOT })) {
    const source = readFileSync(path.join(ROOT, file), 'utf8')
    for (const [, name = ''] of source.matchAll(/^export const (\w+): OptionsDefinition/gm)) {
      if (!listed.includes(name) && !WITHIN_OTHERS.has(name)) faults.push(`${FILE} lacks ${name}`)
    }
  }
  return faults
}

/** Whether an interface says the default that counts. */
function isSaid({ option: { fallback } }: OptionRow, told: string | undefined): boolean {
  if (fallback.kind !== 'value' || typeof fallback.value === 'object') return true
  const { value } = fallback
  if (told === undefined) return value === undefined || typeof value === 'function'
  if (typeof value === 'number') {
    const [, literal] = /^`([\d_]+)`/.exec(told) ?? []
    return literal === undefined
      ? told.startsWith(durationText(value))
      : Number(literal.replaceAll('_', '')) === value
  }
  return typeof value === 'boolean' || typeof value === 'string'
    ? told.startsWith(`\`${value}\``)
    : true
}
