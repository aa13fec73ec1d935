// Compiled, never run: a definition covers its interface exactly.
import {
  defineOptions,
  group,
  integer,
  milliseconds,
  type OptionsDefinition,
  type OptionsFor,
  port,
  text,
} from '../../src/options/index.ts'

interface Log {
  info(line: string): void
}

interface Options {
  readonly log: Log
  readonly file?: string
  readonly lifetimes?: { readonly lock?: number; readonly wait?: number }
}

interface Settled {
  readonly log: Log
  readonly file?: string
  readonly lifetimes: { readonly lock: number; readonly wait: number }
}

const log = port<Log>(['info'])
const file = text('a path').optional()
const lock = milliseconds(1, 10).or(5)
const wait = milliseconds(1, 10).or(6)

export const RIGHT: OptionsDefinition<Settled> = defineOptions({
  log,
  file,
  lifetimes: group({ lock, wait }),
} satisfies OptionsFor<Options>)

// @ts-expect-error an option of the interface is not defined
defineOptions({ log, file } satisfies OptionsFor<Options>)

const lifetimes = group({ lock, wait })
defineOptions({
  log,
  file,
  // @ts-expect-error a member of the group is not defined
  lifetimes: group({ lock }),
} satisfies OptionsFor<Options>)
defineOptions({
  log,
  file,
  // @ts-expect-error a member is defined that the interface does not have
  lifetimes: group({ lock, wait, more: wait }),
} satisfies OptionsFor<Options>)
defineOptions({
  log,
  lifetimes,
  // @ts-expect-error the definition asks for what the interface leaves open
  file: text('a path'),
} satisfies OptionsFor<Options>)
defineOptions({
  file,
  lifetimes,
  // @ts-expect-error the definition leaves open what the interface asks for
  log: log.optional(),
} satisfies OptionsFor<Options>)
defineOptions({
  log,
  lifetimes,
  // @ts-expect-error a number is not a text
  file: integer(0, 1).optional(),
} satisfies OptionsFor<Options>)

// @ts-expect-error what has no default is not settled
export const OPEN: OptionsDefinition<{ readonly file: string }> = defineOptions({ file })

// @ts-expect-error the port has no such method
port<Log>(['warn'])
