/**
 * The record of what the product shows outside: answers of every route, pages, command lines, metrics, log events,
 * faults of settings and options, operations, exported names. What differs from run to run is replaced.
 *
 *   node --conditions=source .ci/record/main.ts --check | --write [--section <name>] [--answers <folder>] [--redis]
 *
 * Sections: answers, pages, commands, tables. Answers are noted by the tests of recorded.ts, which are run here unless
 * `--answers` names where they were noted already; given several times with `--write`, what all of them have in common
 * is recorded. `--redis` runs them on Redis, where the answers have to be the same.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { answersIn, LEGS, SHAPE } from './answers.ts'
import { commands } from './commands.ts'
import { byTitle, compare, type Recorded, unified } from './compare.ts'
import { readRecord, writeRecord } from './files.ts'
import { pages } from './pages.ts'
import { ROOT } from './part.ts'
import { RECORDED } from './recorded.ts'
import { tables } from './tables.ts'

const SECTIONS = ['answers', 'pages', 'commands', 'tables'] as const
/** Runs whose answers a new record is made of. */
const ON_REDIS = [false, true, false]
/** Lines of a difference that are printed. */
const SHOWN = 80
const NONE: ReadonlySet<string> = new Set()

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    redis: { type: 'boolean', default: false },
    section: { type: 'string', multiple: true, default: [...SECTIONS] },
    answers: { type: 'string', multiple: true },
  },
})
if (options.check === options.write) throw new Error('either --check or --write')
for (const section of options.section) {
  const start = performance.now()
  const result = await (options.write ? write(section) : check(section))
  const time = ((performance.now() - start) / 1000).toFixed(1)
  process.stdout.write(`${section}: ${result} (${time} s)\n`)
}

async function check(section: string): Promise<string> {
  const was = readRecord(section)
  const is = section === 'answers' ? answersOf(was) : await look(section)
  const { differences, unrecorded, absent } = compare(was, is)
  if (unrecorded.length > 0) {
    process.stdout.write(`${section}: also, and not recorded: ${unrecorded.join(', ')}\n`)
  }
  // The contract asks some things on SQLite alone.
  const faults = options.redis ? differences : [...differences, ...absent]
  if (faults.length === 0) return `${is.size} titles are as recorded`
  process.exitCode = 1
  const { lines, file } = unified(faults)
  process.stdout.write(`${lines.slice(0, SHOWN).join('\n')}\n`)
  if (lines.length > SHOWN) process.stdout.write(`… ${lines.length} lines in all, in ${file}\n`)
  const titles = new Set(faults.map(({ title }) => title))
  return `${titles.size} of ${was.size} titles differ; if that is wanted: pnpm record --write --section ${section}`
}

async function write(section: string): Promise<string> {
  const recorded = section === 'answers' ? answersOfRuns() : await look(section)
  return `${recorded.size} titles in ${writeRecord(section, recorded)} bytes`
}

async function look(section: string): Promise<Recorded> {
  if (section === 'pages') return byTitle(await pages())
  if (section === 'commands') return byTitle(await commands())
  if (section === 'tables') return byTitle(await tables())
  throw new Error(`there is no section ${section}`)
}

/** Whole answers, or their shapes where those are recorded. */
function answersOf(was: Recorded): Recorded {
  const folder = options.answers?.[0] ?? runTests(options.redis)
  const legs = LEGS.filter((leg) => !options.redis || leg !== 'contract')
  const parts = answersIn(folder, legs)
  const shapes = new Set(
    [...was].filter(([, texts]) => wholeOf(texts).size < texts.size).map(([title]) => title),
  )
  return byTitle(parts.filter(({ title, text }) => text.startsWith(SHAPE) === shapes.has(title)))
}

/**
 * What every run has, on both stores. Of what the contract is answered, asking several things at a time, a title counts
 * only where the runs agree on all of it.
 */
function answersOfRuns(): Recorded {
  const folders = options.answers ?? ON_REDIS.map(runTests)
  const legs = LEGS.map((leg) => folders.map((folder) => byTitle(answersIn(folder, [leg]))))
  const titles = new Set(legs.flat().flatMap((run) => [...run.keys()]))
  return new Map([...titles].map((title) => [title, agreedOn(title, legs)]))
}

function agreedOn(title: string, legs: readonly (readonly Recorded[])[]): ReadonlySet<string> {
  const [tests = [], ...contract] = legs
    .map((runs) => runs.map((run) => run.get(title) ?? NONE))
    // The contract asks some things on one store alone.
    .map((sets) => (sets.every(({ size }) => size === 0) ? [] : sets))
  const ofContract = contract.flat()
  // Of what tests ask as well, only what the contract asks on both stores: the answers are compared on each.
  const isAsked = tests.length === 0 || contract.every(({ length }) => length > 0)
  const isAgreed =
    isAsked && ofContract.every((texts) => isSame(wholeOf(texts), wholeOf(ofContract[0] ?? NONE)))
  const common = [tests, ofContract].map(inCommon)
  const whole = [common[0] ?? NONE, isAgreed ? (common[1] ?? NONE) : NONE].flatMap((texts) => [
    ...wholeOf(texts),
  ])
  const shapes = common.map((texts) => new Set([...texts].filter((text) => text.startsWith(SHAPE))))
  return whole.length > 0 ? new Set(whole) : (shapes.find(({ size }) => size > 0) ?? NONE)
}

function inCommon([first = NONE, ...rest]: readonly ReadonlySet<string>[]): Set<string> {
  return new Set([...first].filter((text) => rest.every((texts) => texts.has(text))))
}

function wholeOf(texts: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...texts].filter((text) => !text.startsWith(SHAPE)))
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((text) => other.has(text))
}

/** @returns where the answers are noted */
function runTests(isOnRedis: boolean): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-answers-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const files = globSync([...RECORDED], { cwd: ROOT }).flatMap((file) => ['--file', file])
  const env = {
    ...process.env,
    ...(isOnRedis && { SVC_TEST_STORES: 'redis', RECORD_REDIS: 'on' }),
  }
  const ran = spawnSync(process.execPath, ['.ci/test.ts', '--record', folder, ...files], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (ran.status !== 0) throw new Error(`a test failed:\n${ran.stdout}${ran.stderr}`)
  return folder
}
