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

/** Timers take no more: a longer one would be over at once. */
const LONGEST = 2 ** 31 - 1

/** Tests wait for scaled limits: these do not grow as budgets do. */
const MOST = 5

const ROUNDS = 5
/** What one round takes on a quiet machine with two cores, milliseconds. */
const QUIET_ROUND_MS = 50

let known = readVariable()

/**
 * How long something may take here that takes at most `ms` on a quiet machine, before it counts as hanging. Every
 * limit in a test is one: of waits, of requests, of browsers, and the upper bound of what is measured. It is no pause:
 * no test lets a budget pass.
 */
export function timeBudget(ms: number): number {
  return Math.min(LONGEST, Math.ceil(ms * slowness() * ROOM))
}

/**
 * What is `ms` on a quiet machine, without room: a limit of the product that a test sees run out and that nothing else
 * may run into, or a time that the product has to keep. It is as short as this machine can keep up with, and no more
 * than {@link MOST} times as long.
 */
export function scaledLimit(ms: number): number {
  return Math.ceil(ms * Math.min(slowness(), MOST))
}

/** How many times slower than a quiet machine this one counts as; at least 1. */
export function slowness(): number {
  return known ?? setSlowness(measure())
}

/** Looks whether the machine has become slower since. */
export function measureAgain(): number {
  return setSlowness(Math.max(known ?? 1, measure()))
}

/** Sets the slowness of this process and of those that it starts. @param value - from 1 to 100 */
export function setSlowness(value: number): number {
  known = value
  process.env[VARIABLE] = String(value)
  return value
}

/** Times rounds of work and of a process that starts, so that the load of the moment shows; the median counts. */
function measure(): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = performance.now()
    work()
    spawnSync(process.execPath, ['--eval', '0'], { env: {} })
    return performance.now() - start
  })
  const median = rounds.toSorted((one, other) => one - other)[(ROUNDS - 1) / 2] ?? 0
  return Math.round(Math.min(LARGEST, Math.max(1, median / QUIET_ROUND_MS)) * 10) / 10
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
