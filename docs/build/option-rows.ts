import type { AnyOption, Members } from '../../packages/platform/src/options.ts'
import { durationText } from './durations.ts'
import type { Interfaces } from './interfaces.ts'
import type { DefinedFunction } from './option-definitions.ts'

/** One option of a function, with what the interface says of it. */
export interface OptionRow {
  readonly path: string
  readonly option: AnyOption
  readonly comment: string
  /** The type as the interface writes it; empty when it has none of its own. */
  readonly type: string
  /** The path of a value that is really given: lists have a first entry, records one name. */
  readonly at: string
  /** Options in which nothing but this one is given. */
  readonly place: (value: unknown) => object
}

type ObjectShape = Extract<AnyOption['shape'], { kind: 'object' }>
type Place = OptionRow['place']

/** Where the members of an option are. */
interface Inside {
  readonly members: Members
  readonly path: string
  readonly at: string
  readonly place: Place
}

/** Names that a record may have; the first one that it takes is used. */
const NAMES = ['one', 'en', 'x-one', 'io.svc.one', 'https://one.example', '/one'] as const

/** The options of a function at every depth, in the order of the definition. */
export function optionRows(
  { folder, type, definition }: DefinedFunction,
  interfaces: Interfaces,
): OptionRow[] {
  const top = { members: definition.members, path: '', at: definition.root }
  return rowsOf({ ...top, place: (value) => Object(value) as object }, (name) =>
    interfaces.memberOf(folder, type, name),
  )

  function rowsOf(
    outside: Inside,
    find: (name: string) => ReturnType<Interfaces['memberOf']>,
  ): OptionRow[] {
    return Object.entries(outside.members).flatMap(([name, option]) => {
      const documented = find(name)
      const own: OptionRow = {
        path: `${outside.path}${name}`,
        option,
        comment: documented?.comment ?? '',
        type: documented?.type ?? '',
        at: `${outside.at}.${name}`,
        place: (value) => outside.place({ [name]: value }),
      }
      const inside = innerMembers(option, own)
      if (inside === undefined) return [own]
      const rows = rowsOf(
        { ...inside, path: `${inside.path}.` },
        (inner) =>
          documented?.members.get(inner) ??
          interfaces.memberOf(folder, documented?.type ?? '', inner) ??
          (own.path === 'limits' ? interfaces.bucketOf(folder, inner) : undefined),
      )
      return [own, ...rows]
    })
  }
}

/** The members that an option has inside, and where they are. Those of a limit are told in its own line. */
function innerMembers(
  { shape }: AnyOption,
  { path, at, place }: Omit<Inside, 'members'>,
): Inside | undefined {
  switch (shape.kind) {
    case 'object':
      return limitOf(shape) === undefined ? { members: shape.members, path, at, place } : undefined
    case 'list':
      return innerMembers(shape.item, {
        path: `${path}[]`,
        at: `${at}[0]`,
        place: (value) => place([value]),
      })
    case 'record': {
      const name = NAMES.find((each) => shape.isName(each)) ?? NAMES[0]
      return innerMembers(shape.item, {
        path: `${path}.<name>`,
        at: `${at}.${name}`,
        place: (value) => place({ [name]: value }),
      })
    }
    default:
      return undefined
  }
}

/** The members of a limit, when an object is one. */
export function limitOf({
  members,
}: ObjectShape): { limit: AnyOption; windowMs: AnyOption } | undefined {
  const { limit, windowMs, ...others } = members
  if (limit === undefined || windowMs === undefined || Object.keys(others).length > 0)
    return undefined
  return { limit, windowMs }
}

/** What a wrong value is told, and what is longer than that. */
export function mustBe(option: AnyOption): string {
  const { shape, what } = option
  if (shape.kind === 'object') {
    const limit = limitOf(shape)
    return limit === undefined
      ? what
      : `\`{ limit, windowMs }\`: ${limit.limit.what}; ${limit.windowMs.what}`
  }
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

/** Whether an option has nothing inside. */
export function isLeaf(item: AnyOption): boolean {
  return !['object', 'list', 'record'].includes(item.shape.kind)
}

/** What stands when nothing is given; empty when there is no such thing. */
export function defaultText({ fallback, shape }: AnyOption): string {
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
