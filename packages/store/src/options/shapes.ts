import type { JsonSchema } from './json-schema.ts'
import { type AnyOption, type Members, Option } from './option.ts'

type NeededNames<Of> = {
  [Name in keyof Of]: Of[Name] extends Option<infer _Value, infer _Settled, true> ? Name : never
}[keyof Of]

type ValueOf<Given> =
  Given extends Option<infer Value, infer _Settled, infer _Needed> ? Value : never
type SettledOf<Given> =
  Given extends Option<infer _Value, infer Settled, infer _Needed> ? Settled : never

/** What a caller may give for such members. */
export type GivenMembers<Of> = {
  readonly [Name in NeededNames<Of>]: ValueOf<Of[Name]>
} & { readonly [Name in Exclude<keyof Of, NeededNames<Of>>]?: ValueOf<Of[Name]> }

/**
 * An interface of options with nothing left open.
 * @typeParam Open - the options that have no default: they may still be absent
 */
export type Settled<Options, Open extends keyof Options = never> = Required<Omit<Options, Open>> &
  Pick<Options, Open>

type OpenNames<Of> = {
  [Name in keyof Of]: undefined extends SettledOf<Of[Name]> ? Name : never
}[keyof Of]

/** The same with every default filled in; what has none, and is not given, is absent. */
export type SettledMembers<Of> = {
  readonly [Name in Exclude<keyof Of, OpenNames<Of>>]: SettledOf<Of[Name]>
} & { readonly [Name in OpenNames<Of>]?: Exclude<SettledOf<Of[Name]>, undefined> }

/**
 * An option that is `true` or `false`. Fault of other values: `must be true or false`.
 * @example
 * const testing = flag().or(false)
 */
export function flag(): Option<boolean> {
  return new Option({
    shape: { kind: 'value', schema: { type: 'boolean' } },
    what: 'true or false',
  })
}

/**
 * An option that is a whole number from `minimum` to `maximum`, both included. Its fault says the range, and the unit
 * where there is one.
 * @param rule.step - values are multiples of it
 * @param rule.unit - what is counted, such as `bytes`; a mere number has none
 * @example
 * const maxBytes = integer(1, 2 ** 30, { unit: 'bytes' }).or(2 ** 20)
 */
export function integer(
  minimum: number,
  maximum: number,
  rule: { readonly step?: number; readonly unit?: string } = {},
): Option<number> {
  const { step = 1, unit } = rule
  const steps = step === 1 ? '' : `, in steps of ${step}`
  return new Option({
    shape: {
      kind: 'value',
      schema: { type: 'integer', minimum, maximum, ...(step !== 1 && { multipleOf: step }) },
      ...(unit !== undefined && { unit }),
    },
    what: `a whole number${unit === undefined ? '' : ` of ${unit}`} from ${minimum} to ${maximum}${steps}`,
  })
}

/** A duration. */
export function milliseconds(
  minimum: number,
  maximum: number,
  rule: { readonly step?: number } = {},
): Option<number> {
  return integer(minimum, maximum, { ...rule, unit: 'milliseconds' })
}

/**
 * An option that is a text. Its fault is `must be` and `what`; the value is never repeated.
 * @param what - what it has to be, such as `a slug`
 * @param rule - how long it is, a pattern, or what tells a right one; absent: it is not empty
 * @example
 * const slug = text('a slug', { pattern: '^[a-z][a-z0-9-]*$', maxLength: 63 })
 */
export function text(
  what: string,
  rule: TextRule | ((text: string) => boolean) = { minLength: 1 },
): Option<string> {
  const isRight = typeof rule === 'function' ? rule : undefined
  const words = typeof rule === 'function' ? {} : rule
  return new Option({
    shape: {
      kind: 'value',
      schema: { type: 'string', ...words },
      ...(isRight !== undefined && { isRight }),
    },
    what,
  })
}

type TextRule = Pick<JsonSchema, 'minLength' | 'maxLength' | 'pattern'>

/**
 * An option that is one of these texts. Its fault lists them: `must be "on" or "off"`.
 * @example
 * const binding = oneOf(['on', 'off']).or('on')
 */
export function oneOf<const Text extends string>(texts: readonly Text[]): Option<Text> {
  const last = texts.at(-1) ?? ''
  const others = texts.slice(0, -1)
  const what = others.length === 0 ? `"${last}"` : `"${others.join('", "')}" or "${last}"`
  return new Option({ shape: { kind: 'value', schema: { type: 'string', enum: texts } }, what })
}

/**
 * An option that is a list whose entries are all checked by `item`. The fault of an entry has its place in the path,
 * such as `options.origins[3]`.
 * @param most - how many there may be
 * @example
 * const names = list(text('a name'), 100).or([], 'none')
 */
export function list<Value, Settled>(
  item: Option<Value, Settled>,
  most: number,
): Option<readonly Value[], readonly Settled[]> {
  const what = `a list of at most ${most}`
  return new Option({ shape: { kind: 'list', item, most }, what })
}

/**
 * Names that the caller chooses, each with a value of one kind.
 * @example
 * const texts = record(text('a word'), (name) => /^[a-z]{2}$/.test(name))
 */
export function record<Value, Settled>(
  item: Option<Value, Settled>,
  isName: (name: string) => boolean = () => true,
): Option<Readonly<Record<string, Value>>, Readonly<Record<string, Settled>>> {
  return new Option({ shape: { kind: 'record', item, isName }, what: 'an object' })
}

/**
 * Several options that are given together, or not at all.
 * @example
 * const place = object({ host: text('a host'), port: integer(1, 65_535).or(443) })
 */
export function object<Of extends Members>(
  members: Of,
): Option<GivenMembers<Of>, SettledMembers<Of>> {
  return new Option({ shape: { kind: 'object', members }, what: 'an object' })
}

/**
 * Options under one name, each with a default: an absent group is one in which nothing is given.
 * @example
 * const limits = group({ connections: integer(1, 1000).or(100) })
 */
export function group<Of extends Members>(
  members: Of,
): Option<GivenMembers<Of>, SettledMembers<Of>, false> {
  const fallback = { kind: 'value', value: {} } as const
  return new Option({ shape: { kind: 'object', members }, what: 'an object', fallback })
}

/** Names of the methods that an object must have, and of those that it may have. */
type MethodName<Port> = Extract<keyof Port, string>

/**
 * An object that is used as it is, such as a store. It is often a class or serves others, too, so its other methods are
 * not refused, with one exception: a name that differs by one letter from an optional method that the object lacks.
 * That method would never be called, and nobody would be told.
 */
export function port<Port>(
  methods: readonly MethodName<Port>[],
  optionalMethods: readonly MethodName<Port>[] = [],
): Option<Port> {
  const shape = { kind: 'port', methods, optionalMethods, isClosed: false } as const
  const what = methods.length === 0 ? 'an object' : `an object with ${methods.join(', ')}`
  return new Option({ shape, what })
}

/**
 * An object of functions that may all be absent. A plain one is held to these names; a class follows the rule of `port`.
 * @example
 * const told = hooks<{ opened?(): void; closed?(): void }>(['opened', 'closed'])
 */
export function hooks<Hooks>(names: readonly MethodName<Hooks>[]): Option<Hooks> {
  const shape = { kind: 'port', methods: [], optionalMethods: names, isClosed: true } as const
  return new Option({ shape, what: `an object of functions: ${names.join(', ')}` })
}

/**
 * An option that is a function, such as a hook. It is not called. Fault of other values: `must be a function`.
 * @typeParam Func - its type, for the compiler alone
 * @example
 * const onChange = func<(name: string) => void>().optional('nobody is told')
 */
export function func<Func extends (...given: never) => unknown>(): Option<Func> {
  return new Option({ shape: { kind: 'function' }, what: 'a function' })
}

/**
 * Something that no schema describes, such as bytes.
 * @example
 * const key = instance<Uint8Array>('32 bytes', (value) => value instanceof Uint8Array && value.length === 32)
 */
export function instance<Value>(what: string, isRight: (value: unknown) => boolean): Option<Value> {
  return new Option({ shape: { kind: 'instance', isRight }, what })
}

/**
 * A value of one of several kinds.
 * @example
 * const origins = either(oneOf(['any']), list(text('an origin'), 10))
 */
export function either<Ways extends readonly [AnyOption, ...AnyOption[]]>(
  ...ways: Ways
): Option<ValueOf<Ways[number]>, SettledOf<Ways[number]>> {
  const what = ways.map((way) => way.what).join(' or ')
  return new Option({ shape: { kind: 'either', ways }, what })
}
