import { group, integer, type Option } from '@svc/store/options'

/** The numbers that an option may be. */
export interface NumberRange {
  readonly least: number
  readonly most: number
  /** Values are multiples of it. @defaultValue `1` */
  readonly step?: number
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
 */
export function counts<Name extends string>(
  defaults: Readonly<Record<Name, number>>,
  range: NumberRange,
  single: Partial<Readonly<Record<Name, NumberRange>>> = {},
): NumberGroup<Name> {
  return numbers(defaults, range, single, undefined)
}

/** Other durations instead of single defaults, in milliseconds. Else as {@link counts}. */
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
    const { least, most, step } = single[name] ?? range
    const rule = { ...(step !== undefined && { step }), ...(unit !== undefined && { unit }) }
    return [name, integer(least, most, rule).or(value)] as const
  })
  // The members are the names of the defaults, each a number.
  return group(Object.fromEntries(members)) as unknown as NumberGroup<Name>
}
