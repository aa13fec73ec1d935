import { randomInt } from 'node:crypto'
import process from 'node:process'
import { parseArgs } from 'node:util'

/** What a fault program is run with. */
export interface Program {
  readonly seed: number
  /** The value of an option of its own, or its default. */
  option(name: string): string
  /** Writes a line of JSON to standard output. */
  say(event: string, fields?: Readonly<Record<string, unknown>>): void
  /** From 0 to below 1, the same sequence for a seed. */
  random(): number
  /** Called at the end, the last one first, however the program ends. */
  atEnd(close: () => Promise<void> | void): void
}

/**
 * Runs a fault program: prints its seed first, JSON lines, and `passed` or `failed` as its last line. Its exit code is 0
 * or 1. @see operation.md 9
 * @param options - its own options, with their defaults; `--seed` is everybody's
 */
export async function runProgram(
  name: string,
  options: Readonly<Record<string, string>>,
  run: (program: Program) => Promise<boolean>,
): Promise<void> {
  const { values } = parseArgs({
    options: Object.fromEntries(
      ['seed', ...Object.keys(options)].map((each) => [each, { type: 'string' as const }]),
    ),
  })
  const given = values as Readonly<Record<string, string | undefined>>
  const seed = Number(given['seed'] ?? randomInt(2 ** 31))
  const closing: (() => Promise<void> | void)[] = []
  const say: Program['say'] = (event, fields = {}) => {
    process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`)
  }
  async function close(): Promise<void> {
    for (const each of closing.splice(0).reverse()) await each()
  }
  process.once('SIGINT', () => void close().then(() => process.exit(1)))
  const own = Object.fromEntries(
    Object.entries(options).map(([option, value]) => [option, given[option] ?? value]),
  )
  say('program.started', { program: name, seed, node: process.version, ...own })
  let hasPassed = false
  try {
    hasPassed = await run({
      seed,
      option: (option) => own[option] ?? '',
      say,
      random: randomOf(seed),
      atEnd: (each) => void closing.push(each),
    })
  } catch (error) {
    say('program.broken', { cause: error instanceof Error ? error.stack : String(error) })
  } finally {
    await close()
  }
  process.stdout.write(hasPassed ? 'passed\n' : 'failed\n')
  process.exitCode = hasPassed ? 0 : 1
}

/** Mulberry32: good enough to choose cases, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
