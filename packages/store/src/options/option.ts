import type { JsonSchema } from './json-schema.ts'

/** How a value is checked, whatever it becomes afterwards. */
export type Shape =
  | {
      readonly kind: 'value'
      readonly schema: JsonSchema
      /** Milliseconds, bytes and the like; absent for mere counts and for texts. */
      readonly unit?: string
      /** What a schema cannot say. */
      readonly isRight?: (text: string) => boolean
    }
  | { readonly kind: 'object'; readonly members: Members }
  | { readonly kind: 'list'; readonly item: AnyOption; readonly most: number }
  | {
      readonly kind: 'record'
      readonly item: AnyOption
      readonly isName: (name: string) => boolean
    }
  | {
      readonly kind: 'port'
      readonly methods: readonly string[]
      readonly optionalMethods: readonly string[]
      /** Whether a plain object may have nothing else. */
      readonly isClosed: boolean
    }
  | { readonly kind: 'function' }
  | { readonly kind: 'instance'; readonly isRight: (value: unknown) => boolean }
  | { readonly kind: 'either'; readonly ways: readonly AnyOption[] }

/** What is wrong with a value that has the right shape, or with its members by their paths; undefined: nothing. */
export type Problem = string | Readonly<Record<string, string>> | undefined

/** What stands for an option that is not given. */
export type Fallback =
  | { readonly kind: 'needed' }
  | { readonly kind: 'value'; readonly value: unknown; readonly words?: string }
  | {
      readonly kind: 'derived'
      readonly derive: (options: unknown) => unknown
      readonly words: string
    }

/** An option without its types, for whoever walks a definition. */
export interface AnyOption {
  readonly shape: Shape
  /** What it has to be, to follow "must be". */
  readonly what: string
  readonly fallback: Fallback
  /** Applied in order to a value of the right shape. */
  readonly steps: readonly Step[]
}

/** Either looks at a value, or makes something else of it; undefined from that means that the value is malformed. */
export type Step =
  | { readonly kind: 'check'; readonly check: (value: unknown) => Problem }
  | { readonly kind: 'parse'; readonly parse: (value: unknown) => unknown }

/**
 * Options by their names: what `defineOptions`, `object` and `group` take.
 * @see docs/reference/options.md of the repository
 * @example
 * const MEMBERS = { port: integer(1, 65_535).or(25), host: text('a host') } satisfies Members
 */
export type Members = Readonly<Record<string, AnyOption>>

/**
 * For the compiler alone: neither wider nor narrower values, neither more nor fewer names. The names have a parameter of
 * their own, since objects with nothing but optional members are taken for each other.
 */
type Exactly<Value, Name> = (value: Value, name: Name) => readonly [Value, Name]

/** An option of an interface: what may be given, and whether it must be. */
export interface OptionOf<Value, IsNeeded extends boolean> extends AnyOption {
  readonly accepts?: Exactly<Value, keyof Value>
  readonly isNeeded?: IsNeeded
}

/** A definition that covers an interface: the compiler refuses one that lacks an option, or has another. */
export type OptionsFor<Options> = {
  readonly [Name in keyof Options]-?: OptionOf<
    Exclude<Options[Name], undefined>,
    object extends Pick<Options, Name> ? false : true
  >
}

/**
 * How one option is checked and what it becomes. `Value` is what a caller gives, `Settled` what the package works with.
 */
export class Option<Value, Settled = Value, IsNeeded extends boolean = true>
  implements OptionOf<Value, IsNeeded>
{
  declare readonly accepts?: Exactly<Value, keyof Value>
  declare readonly settles?: Settled
  declare readonly isNeeded?: IsNeeded
  readonly shape: Shape
  readonly what: string
  readonly fallback: Fallback
  readonly steps: readonly Step[]

  constructor(rule: Pick<AnyOption, 'shape' | 'what'> & Partial<AnyOption>) {
    this.shape = rule.shape
    this.what = rule.what
    this.fallback = rule.fallback ?? { kind: 'needed' }
    this.steps = rule.steps ?? []
  }

  /** @param words - the default for the reference page, where the value does not say it */
  or(value: Settled, words?: string): Option<Value, Settled, false> {
    const fallback = { kind: 'value', value, ...(words !== undefined && { words }) } as const
    return new Option<Value, Settled, false>({ ...this.#rule(), fallback })
  }

  /** @param derive - takes the default from the other options, once all of them are right */
  orFrom<Options>(
    derive: (options: Options) => Settled,
    words: string,
  ): Option<Value, Settled, false> {
    const fallback = {
      kind: 'derived',
      // The definition that this option is in checks these very options.
      derive: (options: unknown) => derive(options as Options),
      words,
    } as const
    return new Option<Value, Settled, false>({ ...this.#rule(), fallback })
  }

  /** @param words - what it means that it is not given */
  optional(words = 'none'): Option<Value, Settled | undefined, false> {
    const fallback = { kind: 'value', value: undefined, words } as const
    return new Option<Value, Settled | undefined, false>({ ...this.#rule(), fallback })
  }

  /** Looks at what has the right shape; the default is not looked at. */
  that(check: (value: Settled) => Problem): Option<Value, Settled, IsNeeded> {
    // Steps run in order: by then the value is what this type says.
    const step = { kind: 'check', check: (value: unknown) => check(value as Settled) } as const
    return new Option<Value, Settled, IsNeeded>({ ...this.#rule(), steps: [...this.steps, step] })
  }

  /** Makes of the value what the package works with; undefined: it is malformed. */
  as<Parsed>(parse: (value: Settled) => Parsed | undefined): Option<Value, Parsed, IsNeeded> {
    // As in `that`.
    const step = { kind: 'parse', parse: (value: unknown) => parse(value as Settled) } as const
    return new Option<Value, Parsed, IsNeeded>({ ...this.#rule(), steps: [...this.steps, step] })
  }

  #rule(): AnyOption {
    const { shape, what, fallback, steps } = this
    return { shape, what, fallback, steps }
  }
}
