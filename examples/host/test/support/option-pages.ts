import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { AnyOption, Members } from '@svc/platform/options'

/** A row of `docs/reference/options/`, without the marks of its Markdown. */
export interface DocumentedOption {
  readonly option: string
  readonly words: string
  readonly type: string
  readonly default: string
  readonly unit: string
  readonly range: string
  readonly since: string
  readonly wrong: string
}

const PAGES = path.resolve(import.meta.dirname, '../../../../docs/reference/options')
/** Names of entries in a record; the first one that fits is used. */
const ENTRY_NAMES = ['one', 'en', 'io.svc.one'] as const

/** The table of a function, as the page of its package has it. */
export function readOptionTable(name: string, module: string): DocumentedOption[] {
  const page = readFileSync(path.join(PAGES, `${module.split('/')[1]}.md`), 'utf8')
  const [, section = ''] = page.split(`## \`${name}\` of \`${module}\`\n`)
  const [table = ''] = section.split('\n## ')
  return table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const cells = line
        .slice(2, -2)
        .split(/ \| /)
        .map((cell) => cell.replaceAll('\\|', '|'))
      const [option = '', words = '', type = '', fallback = '', unit = '', ...rest] = cells
      const [range = '', since = '', wrong = ''] = rest
      return {
        option: option.replaceAll('`', ''),
        words,
        type,
        default: fallback,
        unit,
        range,
        since,
        wrong,
      }
    })
}

/** The options that have rows of their own, in the order of their definition. */
export function documentedOptions(
  members: Members,
  at = 'options',
): { readonly path: string; readonly option: AnyOption }[] {
  return Object.entries(members).flatMap(([name, option]) => {
    const own = `${at}.${name}`
    return [{ path: own, option }, ...inside(option, own)]
  })
}

function inside({ shape }: AnyOption, at: string): ReturnType<typeof documentedOptions> {
  if (shape.kind === 'list') return inside(shape.item, `${at}[]`)
  if (shape.kind === 'record') return inside(shape.item, `${at}.<name>`)
  if (shape.kind !== 'object') return []
  const names = Object.keys(shape.members)
  return names.join() === 'limit,windowMs' ? [] : documentedOptions(shape.members, at)
}

/** Options in which the documented one is `null`, and its path there. */
export function wrongValueAt(
  members: Members,
  documented: string,
): { readonly path: string; readonly options: object } {
  const parts = documented.split('.')
  let at = 'options'
  let option: AnyOption | undefined
  let known = members
  const steps: ((value: unknown) => object)[] = []
  for (const part of parts) {
    if (part === '<name>') {
      const name = ENTRY_NAMES.find((each) => isNameOf(option, each)) ?? ENTRY_NAMES[0]
      at = `${at}.${name}`
      steps.push((value) => ({ [name]: value }))
      option = option?.shape.kind === 'record' ? option.shape.item : undefined
    } else {
      const [name = ''] = part.split('[]')
      at = `${at}.${name}`
      steps.push((value) => ({ [name]: value }))
      option = known[name]
      if (part.endsWith('[]') && option?.shape.kind === 'list') {
        at = `${at}[0]`
        steps.push((value) => [value])
        option = option.shape.item
      }
    }
    if (option?.shape.kind === 'object') known = option.shape.members
  }
  const options = steps.reduceRight<unknown>((value, step) => step(value), null)
  return { path: at, options: Object(options) as object }
}

function isNameOf(option: AnyOption | undefined, name: string): boolean {
  return option?.shape.kind === 'record' && option.shape.isName(name)
}
