import type { OptionFault } from './faults.ts'
import { fitsSchema } from './json-schema.ts'
import { nearestName } from './nearest-name.ts'
import type { AnyOption, Members, Problem, Shape } from './option.ts'

/** One reading of what a function was told. */
export interface Reading {
  readonly faults: OptionFault[]
  /** Defaults that are taken from other options, once all of them are right. */
  readonly later: (() => void)[]
  readonly options: unknown
}

type Given = Readonly<Record<string, unknown>>
type PortShape = Extract<Shape, { kind: 'port' }>

/** The members of an object with their defaults; each fault is noted. */
export function readObject(
  members: Members,
  given: object,
  path: string,
  reading: Reading,
): Readonly<Record<string, unknown>> {
  refuseUnknown(Object.keys(given), Object.keys(members), path, reading)
  const settled: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(members)) {
    // Only what is the object's own was given to it.
    const value = Object.hasOwn(given, name) ? (given as Given)[name] : undefined
    if (value === undefined && option.fallback.kind === 'derived') {
      const { derive } = option.fallback
      reading.later.push(() => {
        settled[name] = derive(reading.options)
      })
      continue
    }
    const at = join(path, name)
    const read =
      value === undefined ? readAbsent(option, at, reading) : readOption(option, value, at, reading)
    if (read !== undefined) settled[name] = read
  }
  return settled
}

function readAbsent(option: AnyOption, path: string, reading: Reading): unknown {
  const { fallback, shape } = option
  if (fallback.kind !== 'value') {
    // Of an object that is needed, what is needed inside is missing, too, and says more.
    if (shape.kind === 'object') return readObject(shape.members, {}, path, reading)
    noteProblem(`is missing; must be ${option.what}`, path, reading)
    return undefined
  }
  // The default of a group is what its members say.
  const isGroup = shape.kind === 'object' && isEmpty(fallback.value)
  return isGroup ? readOption(option, {}, path, reading) : fallback.value
}

/** What the package works with; undefined after a fault. */
function readOption(option: AnyOption, value: unknown, path: string, reading: Reading): unknown {
  const before = reading.faults.length
  let settled = readShape(option, value, path, reading)
  for (const step of option.steps) {
    if (reading.faults.length > before) return undefined
    if (step.kind === 'check') noteProblem(step.check(settled), path, reading)
    else {
      settled = step.parse(settled)
      if (settled === undefined) noteProblem(`must be ${option.what}`, path, reading)
    }
  }
  return settled
}

function readShape(option: AnyOption, value: unknown, path: string, reading: Reading): unknown {
  const { shape, what } = option
  function refuse(): undefined {
    noteProblem(`must be ${what}`, path, reading)
  }
  switch (shape.kind) {
    case 'value':
      if (!fitsSchema(shape.schema, value) || shape.isRight?.(String(value)) === false) refuse()
      return value
    case 'function':
      if (typeof value !== 'function') refuse()
      return value
    case 'instance':
      if (!shape.isRight(value)) refuse()
      return value
    case 'port':
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
        return refuse()
      }
      checkPort(shape, value, path, reading)
      return value
    case 'object':
      if (isObject(value)) return readObject(shape.members, value, path, reading)
      return refuse()
    case 'list':
      if (!Array.isArray(value) || value.length > shape.most) return refuse()
      return value.map((item, at) => readOption(shape.item, item, `${path}[${at}]`, reading))
    case 'record':
      if (!isObject(value)) return refuse()
      return readRecord(shape, value, path, reading)
    case 'either':
      return readEither(option, shape.ways, value, path, reading)
  }
}

function readRecord(
  { item, isName }: Extract<Shape, { kind: 'record' }>,
  value: object,
  path: string,
  reading: Reading,
): unknown {
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      const at = join(path, name)
      if (!isName(name)) noteProblem('is not a name that can be given', at, reading)
      return [name, readOption(item, entry, at, reading)]
    }),
  )
}

/** An object that fits none of the ways has the faults of the one that takes objects: they say more. */
function readEither(
  option: AnyOption,
  ways: readonly AnyOption[],
  value: unknown,
  path: string,
  reading: Reading,
): unknown {
  for (const way of ways) {
    const attempt: Reading = { ...reading, faults: [], later: [] }
    const settled = readOption(way, value, path, attempt)
    if (attempt.faults.length > 0) continue
    reading.later.push(...attempt.later)
    return settled
  }
  const detailed = isObject(value) ? ways.find(({ shape }) => shape.kind === 'object') : undefined
  if (detailed !== undefined) return readOption(detailed, value, path, reading)
  noteProblem(`must be ${option.what}`, path, reading)
  return undefined
}

function checkPort(shape: PortShape, value: object, path: string, reading: Reading): void {
  const { methods, optionalMethods, isClosed } = shape
  const members = value as Given
  const missing = methods.filter((name) => typeof members[name] !== 'function')
  if (missing.length > 0) noteProblem(`has no ${missing.join('(), ')}()`, path, reading)
  for (const name of optionalMethods) {
    if (members[name] !== undefined && typeof members[name] !== 'function') {
      noteProblem('must be a function', join(path, name), reading)
    }
  }
  const known = [...methods, ...optionalMethods]
  const others = Object.keys(members).filter((name) => !known.includes(name))
  if (isClosed && isPlain(value)) return refuseUnknown(others, known, path, reading)
  // What else an object can do is its own; what is one letter away from something it lacks was meant to be that.
  const absent = optionalMethods.filter((name) => members[name] === undefined)
  const misspelt = others.filter((name) => nearestName(name, absent, 1) !== undefined)
  refuseUnknown(misspelt, absent, path, reading)
}

function refuseUnknown(
  names: readonly string[],
  known: readonly string[],
  path: string,
  reading: Reading,
): void {
  for (const name of names) {
    if (known.includes(name)) continue
    const near = nearestName(name, known)
    const hint = near === undefined ? {} : { hint: `did you mean ${near}?` }
    reading.faults.push({ path: join(path, name), problem: 'unknown', ...hint })
  }
}

/** Notes what is wrong with a value, or with members of it. */
export function noteProblem(problem: Problem, path: string, reading: Reading): void {
  if (typeof problem === 'string') reading.faults.push({ path, problem })
  else if (problem !== undefined) {
    for (const [name, text] of Object.entries(problem)) {
      reading.faults.push({
        path: name.startsWith('[') ? path + name : join(path, name),
        problem: text,
      })
    }
  }
}

function join(path: string, name: string): string {
  return `${path}.${name}`
}

/** Whether a value can hold options: an object that is no list. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether nothing but what is written there belongs to an object: it is of no class. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
