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
import { answersIn, SHAPE } from './answers.ts'
import { commands } from './commands.ts'
import { byTitle, compare, type Recorded, unified } from './compare.ts'
import { readRecord, writeRecord } from './files.ts'
import { pages } from './pages.ts'
import { ROOT } from './part.ts'
import { RECORDED } from './recorded.ts'
import { tables } from './tables.ts'

const SECTIONS = ['answers', 'pages', 'commands', 'tables'] as const
/** Runs whose answers a new record is made of. */
const RUNS = 3
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
  const [is = new Map<string, never>()] = await look(section, 1)
  const { differences, unrecorded } = compare(was, is)
  for (const title of unrecorded)
    process.stdout.write(`${section}: not recorded before: ${title}\n`)
  if (differences.length === 0) return `${was.size} titles are as recorded`
  process.exitCode = 1
  const { lines, file } = unified(differences)
  process.stdout.write(`${lines.slice(0, SHOWN).join('\n')}\n`)
  if (lines.length > SHOWN) process.stdout.write(`… ${lines.length} lines in all, in ${file}\n`)
  const titles = new Set(differences.map(({ title }) => title))
  return `${titles.size} of ${was.size} titles differ; if that is wanted: --write --section ${section}`
}

async function write(section: string): Promise<string> {
  const recorded = inCommon(await look(section, RUNS))
  return `${recorded.size} titles in ${writeRecord(section, recorded)} bytes`
}

/** @param runs - of the tests, for answers */
async function look(section: string, runs: number): Promise<Recorded[]> {
  if (section === 'pages') return [byTitle(await pages())]
  if (section === 'commands') return [byTitle(await commands())]
  if (section === 'tables') return [byTitle(await tables())]
  if (section !== 'answers') throw new Error(`there is no section ${section}`)
  return (options.answers ?? Array.from({ length: runs }, runTests)).map((folder) =>
    byTitle(answersIn(folder, options.redis ? 'redis' : 'sqlite')),
  )
}

/** What all runs have; a title whose texts differ each time keeps their shape, or nothing. */
function inCommon(runs: readonly Recorded[]): Recorded {
  const titles = new Set(runs.flatMap((run) => [...run.keys()]))
  return new Map(
    [...titles].map((title) => {
      const [first = NONE, ...rest] = runs.map((run) => run.get(title) ?? NONE)
      const all = [...first].filter((text) => rest.every((texts) => texts.has(text)))
      const whole = all.filter((text) => !text.startsWith(SHAPE))
      return [title, new Set(whole.length === 0 ? all : whole)]
    }),
  )
}

/** @returns where the answers are noted */
function runTests(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-answers-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const files = globSync([...RECORDED], { cwd: ROOT }).flatMap((file) => ['--file', file])
  const env = {
    ...process.env,
    ...(options.redis && { SVC_TEST_STORES: 'redis', RECORD_REDIS: 'on' }),
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
