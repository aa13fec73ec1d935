import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { AnyOption, Members } from '../../packages/platform/src/options.ts'
import { type Document, GENERATED, ROOT, table } from './document.ts'
import { durationText } from './durations.ts'
import { type Interfaces, readInterfaces, withoutTags } from './interfaces.ts'
import { DEFINED_FUNCTIONS, type DefinedFunction } from './option-definitions.ts'

/** One option of a function, with what the interface says of it. */
interface OptionRow {
  readonly path: string
  readonly option: AnyOption
  readonly comment: string
}

const FILE = 'docs/reference/options.md'
/** Definitions of parts: their options are those of functions that are listed. */
const WITHIN_OTHERS: ReadonlySet<string> = new Set(['ENTRY_GATE_OPTIONS'])

type ObjectShape = Extract<AnyOption['shape'], { kind: 'object' }>
const INTRODUCTION = `What the functions of the packages can be told. Everything is checked when the function is called: an unknown name, at
any depth, a missing one and a wrong value are one \`TypeError\` with \`code\` \`invalid_options\`; its message has a line
for each fault, and \`faults\` has them as \`{ path, problem, hint? }\`. A value is never repeated. What must be given has
no default. An object of functions or methods is looked at for these; what else it has is its own.`

/** \`docs/reference/options.md\`: checks and defaults from the definitions, words from the interfaces. */
export function optionPages(): Document {
  const interfaces = readInterfaces()
  const parts = DEFINED_FUNCTIONS.flatMap((defined) => [
    `## \`${defined.name}\` of \`${defined.module}\``,
    table(
      ['Option', 'Must be', 'Default', 'What it is'],
      optionRows(defined, interfaces).map(({ path: at, option, comment }) => [
        `\`${at}\``,
        mustBe(option),
        defaultText(option),
        withoutTags(comment),
      ]),
    ).trimEnd(),
  ])
  const content = ['# Options', GENERATED, INTRODUCTION, ...parts].join('\n\n')
  return { file: FILE, content: `${content}\n` }
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
      const told = /@defaultValue ([^@]*)/.exec(row.comment)?.[1]?.trim()
      return isSaid(row.option, told)
        ? []
        : [`${at} has another default: ${defaultText(row.option)}`]
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

function optionRows(
  { folder, type, definition }: DefinedFunction,
  interfaces: Interfaces,
): OptionRow[] {
  return rowsOf(definition.members, '', (name) => interfaces.memberOf(folder, type, name))

  function rowsOf(
    members: Members,
    prefix: string,
    find: (name: string) => ReturnType<Interfaces['memberOf']>,
  ): OptionRow[] {
    return Object.entries(members).flatMap(([name, option]) => {
      const documented = find(name)
      const at = `${prefix}${name}`
      const own = { path: at, option, comment: documented?.comment ?? '' }
      const inside = innerMembers(option, at)
      if (inside === undefined) return [own]
      const rows = rowsOf(
        inside.members,
        `${inside.path}.`,
        (inner) =>
          documented?.members.get(inner) ??
          interfaces.memberOf(folder, documented?.type ?? '', inner) ??
          (at === 'limits' ? interfaces.bucketOf(folder, inner) : undefined),
      )
      return [own, ...rows]
    })
  }
}

/** The members that an option has inside, and where they are. Those of a limit are told in its own line. */
function innerMembers(
  { shape }: AnyOption,
  at: string,
): { members: Members; path: string } | undefined {
  if (shape.kind === 'object') {
    return limitOf(shape) === undefined ? { members: shape.members, path: at } : undefined
  }
  if (shape.kind === 'list') return innerMembers(shape.item, `${at}[]`)
  if (shape.kind === 'record') return innerMembers(shape.item, `${at}.<name>`)
  return undefined
}

/** What a limit may be, when the members are those of one. */
function limitOf({ members }: ObjectShape): string | undefined {
  const { limit, windowMs, ...others } = members
  if (limit === undefined || windowMs === undefined || Object.keys(others).length > 0)
    return undefined
  return `\`{ limit, windowMs }\`: ${limit.what}; ${windowMs.what}`
}

/** What a wrong value is told, and what is longer than that. */
function mustBe(option: AnyOption): string {
  const { shape, what } = option
  if (shape.kind === 'object') return limitOf(shape) ?? what
  if (shape.kind === 'list') return isLeaf(shape.item) ? `${what}, each ${shape.item.what}` : what
  if (shape.kind === 'record') {
    return isLeaf(shape.item)
      ? `${what} of names, each with ${shape.item.what}`
      : `${what} of names`
  }
  if (shape.kind === 'port' && !shape.isClosed && shape.optionalMethods.length > 0) {
    return `${what}; it may have ${shape.optionalMethods.join(', ')}`
  }
  if (shape.kind === 'value' && shape.unit === 'milliseconds') {
    const { minimum = 0, maximum = 0 } = shape.schema
    return `${what} (${durationText(minimum)} to ${durationText(maximum)})`
  }
  return what
}

function isLeaf(item: AnyOption): boolean {
  return !['object', 'list', 'record'].includes(item.shape.kind)
}

function defaultText({ fallback, shape }: AnyOption): string {
  if (fallback.kind === 'needed') return ''
  if (fallback.words !== undefined) return fallback.words
  if (fallback.kind === 'derived') return ''
  const { value } = fallback
  if (typeof value === 'number') {
    const isDuration = shape.kind === 'value' && shape.unit === 'milliseconds'
    return isDuration ? `\`${value}\` (${durationText(value)})` : `\`${value}\``
  }
  if (isRateLimit(value)) return `${value.limit} in ${durationText(value.windowMs)}`
  if (typeof value === 'string' || typeof value === 'boolean') return `\`${value}\``
  return shape.kind === 'object' && Object.keys(Object(value)).length === 0
    ? ''
    : `\`${JSON.stringify(value)}\``
}

function isRateLimit(value: unknown): value is { limit: number; windowMs: number } {
  return typeof value === 'object' && value !== null && 'limit' in value && 'windowMs' in value
}

/** Whether an interface says the default that counts. */
function isSaid({ fallback }: AnyOption, told: string | undefined): boolean {
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
