import { spawnSync } from 'node:child_process'

/**
 * How many times slower than a quiet machine this one counts as: a number from 1 to 100. Unset, it is measured once,
 * and set for the processes that this one starts.
 */
const VARIABLE = 'SVC_TEST_SLOWNESS'
const LARGEST = 100

/**
 * Room above what is measured: the load of a machine may grow during a run, and suites that run beside each other are
 * a load themselves. Only what hangs ever uses up a budget, so a generous one costs nothing.
 */
const ROOM = 3

const ROUNDS = 4
/** What one round takes on a quiet machine with two cores, milliseconds. */
const QUIET_ROUND_MS = 50

const named = readVariable()
let known: number | undefined

/**
 * How long something may take here that takes at most `ms` on a quiet machine, before it counts as hanging. Every
 * limit in a test is one: of waits, of requests, of browsers, and the upper bound of what is measured. It is no pause:
 * no test lets a budget pass.
 */
export function timeBudget(ms: number): number {
  return Math.ceil(ms * slowness() * ROOM)
}

/** How many times slower than a quiet machine this one counts as; at least 1. */
export function slowness(): number {
  return known ?? remember(named ?? measure())
}

/** Looks whether the machine has become slower since, unless the environment names how slow it is. */
export function measureAgain(): number {
  return named ?? remember(Math.max(known ?? 1, measure()))
}

function remember(value: number): number {
  known = value
  process.env[VARIABLE] = String(value)
  return value
}

/** Times a short piece of work and starts of processes, so that the load of the moment shows. */
function measure(): number {
  const start = performance.now()
  for (let round = 0; round < ROUNDS; round += 1) {
    work()
    spawnSync(process.execPath, ['--eval', '0'], { env: {} })
  }
  const times = (performance.now() - start) / (ROUNDS * QUIET_ROUND_MS)
  return Math.round(Math.min(LARGEST, Math.max(1, times)) * 10) / 10
}

/** Strings, objects and sorting: what suites spend their time with. */
function work(): void {
  const list = Array.from({ length: 10_000 }, (_, n) => ({ n, name: `${n * 7919}` }))
  const text = JSON.stringify(list)
  for (let pass = 0; pass < 6; pass += 1) {
    // The text is the one written above.
    const read = JSON.parse(text) as typeof list
    JSON.stringify(read.toSorted((one, other) => (one.name < other.name ? -1 : 1)))
  }
}

function readVariable(): number | undefined {
  const text = process.env[VARIABLE] ?? ''
  if (text === '') return undefined
  const value = Number(text)
  if (value >= 1 && value <= LARGEST) return value
  throw new TypeError(`${VARIABLE} is a number from 1 to ${LARGEST}, not ${text}`)
}
