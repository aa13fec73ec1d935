import {
  type AnyOption,
  type OptionFault,
  OptionsError,
} from '../../packages/platform/src/options.ts'
import { durationText } from './durations.ts'
import type { DefinedFunction } from './option-definitions.ts'
import { defaultText, isLeaf, limitOf, mustBe, type OptionRow } from './option-rows.ts'

/** What a cell says that has nothing to say. */
export const NONE = '–'
/** A type that is longer is told by its kind; the interface has it. */
const LONGEST_TYPE = 60
/** Longer than any text or list that an option takes. */
const TOO_LONG = 'x'.repeat(70_000)

/** The type as the interface writes it, or its kind. */
export function typeText({ type, option }: OptionRow): string {
  const written = type.replaceAll(/\s+/g, ' ').trim()
  const isWhole =
    count(written, '{') === count(written, '}') && !/^[|&]|^$|{ readonly/.test(written)
  const isShort = isWhole && written.length <= LONGEST_TYPE && !isLimit(option)
  return `\`${isShort ? written : kindText(option)}\``
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1
}

function kindText({ shape }: AnyOption): string {
  switch (shape.kind) {
    case 'value':
      if (shape.schema.enum !== undefined) {
        return shape.schema.enum.map((each) => `'${each}'`).join(' | ')
      }
      return shape.schema.type === 'integer' ? 'number' : shape.schema.type
    case 'list':
      return `readonly ${bracketed(kindText(shape.item))}[]`
    case 'record':
      return `Record<string, ${kindText(shape.item)}>`
    case 'object':
      return limitOf(shape) === undefined ? 'object' : 'RateLimit'
    case 'port':
      return 'object'
    case 'function':
      return 'function'
    case 'instance':
      return 'object'
    case 'either':
      return [...new Set(shape.ways.map(kindText))].join(' | ')
  }
}

function bracketed(type: string): string {
  return type.includes(' ') ? `(${type})` : type
}

/** What stands when nothing is given. */
export function defaultCell(option: AnyOption): string {
  if (option.fallback.kind === 'needed') return 'must be given'
  const { shape } = option
  return defaultText(option) || (shape.kind === 'object' ? 'those of its members' : 'none')
}

/** What a number counts. */
export function unitText({ shape }: AnyOption): string {
  if (shape.kind === 'value') return shape.unit ?? NONE
  if (shape.kind === 'list' || shape.kind === 'record') return unitText(shape.item)
  const limit = shape.kind === 'object' ? limitOf(shape) : undefined
  return limit === undefined ? NONE : `hits; ${unitText(limit.windowMs)}`
}

/** Which values are taken. */
export function rangeText(option: AnyOption): string {
  const { shape } = option
  if (shape.kind === 'value' && shape.schema.type === 'integer') return numberRange(option)
  const limit = shape.kind === 'object' ? limitOf(shape) : undefined
  if (limit !== undefined) {
    return `\`limit\` ${numberRange(limit.limit)}; \`windowMs\` ${numberRange(limit.windowMs)}`
  }
  return mustBe(option)
}

function numberRange({ shape }: AnyOption): string {
  if (shape.kind !== 'value') return NONE
  const { minimum = 0, maximum = 0, multipleOf } = shape.schema
  const steps = multipleOf === undefined ? '' : `, in steps of ${multipleOf}`
  const range = `${minimum} to ${maximum}${steps}`
  return shape.unit === 'milliseconds'
    ? `${range} (${durationText(minimum)} to ${durationText(maximum)})`
    : range
}

/**
 * What wrong values of an option are told, each sentence once: the definition is given such values and says it. The
 * first one is that of `null`, which no option takes.
 */
export function wrongValueTexts({ definition }: DefinedFunction, row: OptionRow): string[] {
  const said = wrongValues(row.option).flatMap((value) =>
    faultsOf(() => definition.settle(row.place(value))).flatMap((fault) => {
      const inside = fault.path.startsWith(row.at) ? fault.path.slice(row.at.length) : fault.path
      if (fault.path === row.at) return [problemText(fault)]
      if (inside === fault.path || !hasNoRowsInside(row.option)) return []
      return [`\`${inside.replace(/^\./, '')}\` ${problemText(fault)}`]
    }),
  )
  return [...new Set(said)]
}

/** Whether what is inside is told in the option's own row: members of a limit, single values of a list. */
function hasNoRowsInside(option: AnyOption): boolean {
  const { shape } = option
  return isLimit(option) || (shape.kind === 'list' && isLeaf(shape.item))
}

function isLimit({ shape }: AnyOption): boolean {
  return shape.kind === 'object' && limitOf(shape) !== undefined
}

function problemText({ problem, hint }: OptionFault): string {
  return hint === undefined ? problem : `${problem}. ${hint}`
}

/** Values that an option may refuse: wrong in kind, or of the right kind and beyond what is taken. */
function wrongValues(option: AnyOption): unknown[] {
  const { shape } = option
  switch (shape.kind) {
    case 'value': {
      const { type, minimum = 0, maximum = 0 } = shape.schema
      if (type === 'integer') return [null, minimum - 1, maximum + 1, minimum + 0.5]
      return [null, '', TOO_LONG]
    }
    case 'port':
      return [null, {}]
    case 'list':
      return [null, [null]]
    case 'object':
      return isLimit(option) ? [null, { limit: null, windowMs: null }] : [null]
    default:
      return [null]
  }
}

function faultsOf(settle: () => unknown): readonly OptionFault[] {
  try {
    settle()
    return []
  } catch (error) {
    if (error instanceof OptionsError) return error.faults
    throw error
  }
}
