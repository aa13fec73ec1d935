import '@svc/store/node-version'
import { isIP } from 'node:net'
import { group, integer, list, milliseconds, object, type Option, text } from '@svc/store/options'
import { DAY_MS, SECOND_MS } from './durations.ts'

// The store has options, too, and stands below this package: what they are made of is there.
export {
  type AnyOption,
  defineOptions,
  either,
  flag,
  func,
  type GivenMembers,
  group,
  hooks,
  instance,
  integer,
  list,
  type Members,
  milliseconds,
  object,
  oneOf,
  Option,
  type OptionFault,
  type OptionOf,
  type OptionsDefinition,
  OptionsError,
  type OptionsFor,
  port,
  type Problem,
  record,
  type Settled,
  type SettledMembers,
  type Shape,
  text,
} from '@svc/store/options'

/** The numbers that an option may be. */
export interface NumberRange {
  readonly least: number
  readonly most: number
  /** Values are multiples of it. @defaultValue `1` */
  readonly step?: number
  /** What is counted, such as `bytes`. @defaultValue that of the group */
  readonly unit?: string
}

/** A group of numbers, each with its default, such as the lifetimes of a package. */
export type NumberGroup<Name extends string> = Option<
  Partial<Readonly<Record<Name, number>>>,
  Readonly<Record<Name, number>>,
  false
>

/**
 * Other counts instead of single defaults.
 * @param single - ranges of those that have one of their own
 * @example
 * const limits = counts({ connections: 100, messages: 20 }, { least: 1, most: 10_000 })
 */
export function counts<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  range: NumberRange,
  single: Partial<Readonly<Record<Name, NumberRange>>> = {},
): NumberGroup<Name> {
  return numbers(defaults, range, single, undefined)
}

/**
 * Other durations instead of single defaults, in milliseconds. Else as {@link counts}.
 * @example
 * const times = lifetimes({ ping: 54_000 }, { least: 1000, most: 300_000 })
 */
export function lifetimes<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  range: NumberRange,
  single: Partial<Readonly<Record<Name, NumberRange>>> = {},
): NumberGroup<Name> {
  return numbers(defaults, range, single, 'milliseconds')
}

function numbers<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  range: NumberRange,
  single: Readonly<Record<string, NumberRange | undefined>>,
  unit: string | undefined,
): NumberGroup<Name> {
  const members = Object.entries<number>(defaults).map(([name, value]) => {
    const { least, most, step, unit: counted = unit } = single[name] ?? range
    const rule = {
      ...(step !== undefined && { step }),
      ...(counted !== undefined && { unit: counted }),
    }
    return [name, integer(least, most, rule).or(value)] as const
  })
  // The members are the names of the defaults, each a number.
  return group(Object.fromEntries(members)) as unknown as NumberGroup<Name>
}

/** How often something may happen in a window that starts with the first hit. */
interface RateLimit {
  readonly limit: number
  readonly windowMs: number
}

const MOST_HITS = 1_000_000_000

/**
 * The option `limits` of a package: other limits for single buckets.
 * @param defaults - of every bucket
 * @param fewest - hits that an operator may allow at least; 0 where a bucket may be closed altogether
 * @example
 * const limits = rateLimits({ posts: { limit: 10, windowMs: 60_000 } })
 */
export function rateLimits<Bucket extends string>(
  defaults: Readonly<Record<Bucket, RateLimit>>,
  fewest = 1,
): Option<
  Partial<Readonly<Record<Bucket, RateLimit>>>,
  Readonly<Record<Bucket, RateLimit>>,
  false
> {
  const limit = object({
    limit: integer(fewest, MOST_HITS),
    windowMs: milliseconds(SECOND_MS, 30 * DAY_MS),
  })
  const members = Object.entries<RateLimit>(defaults).map(
    ([bucket, given]) => [bucket, limit.or(given)] as const,
  )
  // The members are the buckets, each with such a limit.
  return group(Object.fromEntries(members)) as unknown as ReturnType<typeof rateLimits<Bucket>>
}

const MOST_NETWORKS = 1000

/**
 * Networks that an operator trusts.
 * @example
 * const OPTIONS = defineOptions({ trusted: cidrs().or([]) })
 */
export function cidrs(): Option<readonly string[]> {
  return list(text('a CIDR such as 10.0.0.0/8', isCidr), MOST_NETWORKS)
}

/** Shorter spellings of IPv4 (`10/8`) are read in different ways by different programs. */
function isCidr(text: string): boolean {
  const [address = '', length = '', ...rest] = text.split('/')
  const family = isIP(address)
  const bits = family === 4 ? 32 : 128
  return (
    family !== 0 &&
    !address.includes('%') &&
    rest.length === 0 &&
    /^\d{1,3}$/.test(length) &&
    Number(length) <= bits
  )
}
