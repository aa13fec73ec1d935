/**
 * Runs the checks and tests of the first level, several at a time; with `--all` those that change seldom as well.
 *
 *   node .ci/test.ts [--all] [--level <level>] [--package <folder name>] [--file <part of a path>] [--record <folder>]
 *
 * `--record` keeps the answers of the recorded files (.ci/record) in that folder.
 *
 * Levels: checks, unit, contract, http, e2e, smoke; with `--all` also faults, deploy, embedding, site, packed, judges.
 * The last line is `N passed, N failed`, a check such as lint counting as one test. Exit code 1 on any failure.
 * Under CI=true a skipped test is a failure. Time limits follow the machine: its slowness is measured, or named by
 * `SVC_TEST_SLOWNESS` (1 is a quiet machine).
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { installPackages, sharedPackages } from '../packages/testkit/src/packed-packages.ts'
import { measureAgain, slowness } from '../packages/testkit/src/time-budget.ts'
import { isRecorded } from './record/recorded.ts'
import { type Result, runStep, type Step } from './step.ts'
import { type TestFile, TestWorker } from './test-worker.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const BIN = path.join(ROOT, 'node_modules/.bin')
const MINUTE_MS = 60_000
/** Jobs at a time on two cores: a test uses one at most, and waits for clocks, stores and pages between. */
const LANES = 3
/** Between two measurements of the slowness; milliseconds. */
const MEASURED_MS = 30_000

/** Folders of tests. Those that take longest begin first, so that no lane waits for another at the end. */
const FIRST = ['e2e', 'http', 'contract', 'unit'] as const
/** What changes seldom or takes long: kills, lost stores, installations, deployment files, judges, the site. */
const SECOND = ['faults', 'embedding', 'deploy', 'judges', 'site'] as const

/** Of the longest suites, files that use a package by its entry, and all that it ships: pages, scripts, texts, threads. */
const PACKED: Readonly<Record<string, RegExp>> = {
  'auth-ui': /(?:authorize-pages|confirm|login|passkeys|settings)\.test\.ts$/,
  connectors: /(?:callback-host|reconnect|redirect|refresh|start|statuses)\.test\.ts$/,
  'oauth-core':
    /(?:assistant-consent|attestation|authorize|everything|guard|register|routes)\.test\.ts$/,
  notify:
    /\/(?:engine-assembly|host-channel|preferences|routes|rules-statuses|unsubscribe)\.test\.ts$/,
}

const RECORD: readonly string[] = ['--conditions=source', '.ci/record/main.ts', '--check']
/** Sections of the record that need no test. */
const OUTSIDE = ['pages', 'commands', 'tables'] as const

/** What one lane does, one after the other. */
type Job = readonly (Step | TestFile | (() => void))[]

const { values: options } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    file: { type: 'string', multiple: true },
    level: { type: 'string', multiple: true },
    package: { type: 'string', multiple: true },
    record: { type: 'string' },
  },
})

/** Runs of each fuzzer. */
if (options.all) process.env['SVC_FUZZ_RUNS'] ??= '10000'
/** Without it only what races, restarts or crosses processes runs on Redis, too. */
const EVERY_STORE: TestFile['env'] = options.all ? { SVC_TEST_STORES: 'memory,redis' } : {}

const isCi = process.env['CI'] === 'true'
const isSlownessNamed = process.env['SVC_TEST_SLOWNESS'] !== undefined
const results: Result[] = []
let measuredAt = -Infinity
const scratch = mkdtempSync(path.join(tmpdir(), 'svc-test-'))
const tarballs = path.join(scratch, 'tarballs')
const bundle = path.join(scratch, 'bundle')
const answers = path.resolve(options.record ?? path.join(scratch, 'answers'))
mkdirSync(answers, { recursive: true })
// Suites and the processes they start load the same modules: each is compiled once. Not while coverage is recorded.
if (process.env['NODE_V8_COVERAGE'] === undefined) {
  process.env['NODE_COMPILE_CACHE'] ??= path.join(scratch, 'compiled')
}
try {
  await runInLanes([...builds(), ...FIRST.flatMap(testJobs), ...checks()])
  await runInLanes(recordOfAnswers())
  if (options.all) await runInLanes([...SECOND.flatMap(testJobs), ...seldomChecks()])
  if (options.all && isWanted('packed')) await runPacked()
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
report()

function isWanted(level: string): boolean {
  return options.level?.includes(level) ?? options.file === undefined
}

async function runInLanes(jobs: readonly Job[]): Promise<void> {
  const waiting = [...jobs]
  async function lane(): Promise<void> {
    const worker = new TestWorker()
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      for (const part of job) {
        followMachine()
        if (typeof part === 'function') part()
        else await run(part, worker)
      }
    }
    await worker.close()
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** What it prints is shown when it has ended; of a file of tests without a fault only that. */
async function run(part: Step | TestFile, worker: TestWorker): Promise<void> {
  const printed: Buffer[] = []
  const print = (chunk: Buffer): void => void printed.push(chunk)
  const result = 'file' in part ? await worker.run(part, print) : await runStep(part, print)
  results.push(result)
  const fault = result.fault === undefined ? '' : `: ${result.fault}`
  const text = Buffer.concat(printed).toString().trim()
  process.stdout.write(
    `── ${nameOf(result)}: ${counts(result)} in ${seconds(result.durationMs)}${fault}\n${text === '' ? '' : `${text}\n`}`,
  )
}

/** The load of a machine may grow during a run: what is to come gets more time then. */
function followMachine(): void {
  if (isSlownessNamed || performance.now() - measuredAt < MEASURED_MS) return
  measureAgain()
  measuredAt = performance.now()
}

/** One after the other: the tarballs hold what was built, and the smoke test installs them. */
function builds(): Job[] {
  const isNeeded = ['checks', 'smoke', ...(options.all ? [...SECOND, 'packed'] : [])].some(isWanted)
  if (!isNeeded) return []
  // For the tests of what is installed.
  process.env['SVC_TARBALLS'] = tarballs
  process.env['SVC_BUNDLE'] = bundle
  return [
    [
      step('types and build', 'tsc', ['-b']),
      step('joined scripts', 'node', ['.ci/join/main.ts']),
      step('packed packages', 'node', ['.ci/pack/main.ts', '--out', tarballs]),
      ...(isWanted('smoke') ? testFiles('smoke') : []),
      ...(options.all ? [step('bundle', 'node', ['.ci/bundle/main.ts', '--out', bundle])] : []),
    ],
  ]
}

function checks(): Job[] {
  if (!isWanted('checks')) return []
  const lint = ['--type-aware', '--deny-warnings', 'packages', 'examples', 'docs', '.ci']
  return [
    [step('lint', 'oxlint', lint)],
    [step('unused code', 'knip', ['--no-progress'])],
    [step('documents', 'node', ['--conditions=source', 'docs/build/main.ts', '--check'])],
    [step('format', 'biome', ['format', '.'])],
    [step('shape of the packages', 'node', ['.ci/house.ts'])],
    [step('record', 'node', [...RECORD, ...OUTSIDE.flatMap((section) => ['--section', section])])],
  ]
}

/** After the tests whose answers are recorded. With `--all` only, until runs on several machines agreed. */
function recordOfAnswers(): Job[] {
  const selected = options.file ?? options.level ?? options.package
  if (!options.all || selected !== undefined) return []
  const ofAnswers = [...RECORD, '--section', 'answers']
  const onRedis = step('record of answers on Redis', 'node', [...ofAnswers, '--redis'])
  const here = step('record of answers', 'node', [...ofAnswers, '--answers', answers])
  return [[here], [{ ...onRedis, limitMs: 10 * MINUTE_MS }]]
}

function seldomChecks(): Job[] {
  if (!isWanted('checks')) return []
  return [
    [step('public surface', 'node', ['--conditions=source', '.ci/public/main.ts'])],
    ...sharedPackages(ROOT).map(({ name, file }) => [
      step(`publint ${name}`, 'publint', ['run', file, '--strict']),
      step(`types of ${name}`, 'attw', [file, '--profile', 'esm-only', '--no-emoji']),
    ]),
  ]
}

/** The http suites hold on the packages as others will install them. */
async function runPacked(): Promise<void> {
  const folder = mkdtempSync(path.join(scratch, 'installed-'))
  installPackages(sharedPackages(ROOT), folder)
  const hook = path.join(import.meta.dirname, 'use-packed.ts')
  const env = { NODE_OPTIONS: `--import=file://${hook}`, SVC_PACKED: folder }
  await runInLanes([
    [step('signatures of the registry', 'node', ['.ci/signatures.ts', folder])],
    ...testFiles('http')
      .filter(({ folder: home }) => path.basename(path.dirname(home)) === 'packages')
      .filter(({ folder: home, file }) => PACKED[path.basename(home)]?.test(file) ?? true)
      // What packing could break does not depend on the store: one suite tries both engines.
      .map((test) => [
        {
          ...test,
          suite: `${test.suite}, packed`,
          env: {
            ...env,
            SVC_TEST_STORES: test.suite.includes('realtime') ? 'memory,redis' : 'memory',
          },
        },
      ]),
  ])
}

function testJobs(level: string): Job[] {
  if (!isWanted(level) && options.file === undefined) return []
  const files = testFiles(level)
  if (level !== 'site' || files.length === 0) return files.map((test) => [test])
  // It installs what nothing else needs.
  const build = step('site of the documents', 'node', ['.ci/site.ts', '--tarballs', tarballs])
  return [[{ ...build, limitMs: 10 * MINUTE_MS }, ...files]]
}

/** The files of a level, the longest first. */
function testFiles(level: string): TestFile[] {
  const files = globSync(`{packages,examples}/*/test/${level}/**/*.test.ts`, { cwd: ROOT })
  return files
    .map((file) => {
      const [place = '', name = '', ...below] = file.split(path.sep)
      const folder = path.join(ROOT, place, name)
      return { suite: `${packageName(folder)} ${level}`, folder, file: path.join(...below) }
    })
    .filter(({ folder, file }) => {
      const isNamed = options.file?.some((part) => path.join(folder, file).includes(part)) ?? true
      return isNamed && (options.package?.includes(path.basename(folder)) ?? true)
    })
    .map((test) => ({ ...test, env: EVERY_STORE, ...answersOf(test) }))
    .toSorted((one, other) => sizeOf(other) - sizeOf(one))
}

function answersOf({ folder, file }: Omit<TestFile, 'env'>): Pick<TestFile, 'answers'> {
  const name = path.relative(ROOT, path.join(folder, file))
  const isNoted = (options.all || options.record !== undefined) && isRecorded(name)
  return isNoted ? { answers: path.join(answers, name.replaceAll('/', '_')) } : {}
}

function sizeOf({ folder, file }: TestFile): number {
  return statSync(path.join(folder, file)).size
}

function step(name: string, command: string, args: readonly string[]): Step {
  const limitMs = 3 * MINUTE_MS
  return { name, command: path.join(BIN, command), arguments: args, folder: ROOT, limitMs }
}

function packageName(folder: string): string {
  // The workspace's own manifest: it has a name.
  return (JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { name: string })
    .name
}

function report(): void {
  const suites = Map.groupBy(results, ({ name }) => name)
  const width = Math.max(0, ...[...suites.keys()].map((name) => name.length))
  process.stdout.write(`\nslowness of this machine: ${slowness()}\n`)
  for (const [name, parts] of suites) {
    const total = { passed: 0, failed: 0, skipped: 0 }
    for (const part of parts) {
      total.passed += part.passed
      total.failed += part.failed
      total.skipped += part.skipped
    }
    const time = seconds(sumOf(parts, ({ durationMs }) => durationMs))
    const cpu = seconds(sumOf(parts, ({ cpuMs = 0 }) => cpuMs))
    process.stdout.write(
      `${name.padEnd(width)}  ${time.padStart(8)}  cpu ${cpu.padStart(7)}  ${counts(total)}\n`,
    )
  }
  process.stdout.write('\nthe longest:\n')
  for (const result of results.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, 20)) {
    const cpu = seconds(result.cpuMs ?? 0)
    process.stdout.write(
      `${seconds(result.durationMs).padStart(8)}  cpu ${cpu.padStart(7)}  ${nameOf(result)}\n`,
    )
  }
  // Once more at the end, where the record of a long run is still looked at.
  for (const result of results) {
    if (result.fault !== undefined && 'file' in result) {
      process.stdout.write(`failed in ${nameOf(result)}: ${result.fault}\n`)
    }
    for (const failure of result.failures) {
      process.stdout.write(`failed in ${nameOf(result)}: ${failure}\n`)
    }
  }
  for (const result of results) {
    if (result.skipped === 0 && result.reasons.length === 0) continue
    const reasons = result.reasons.length === 0 ? ['no reason given'] : result.reasons
    for (const reason of reasons) process.stdout.write(`skipped in ${nameOf(result)}: ${reason}\n`)
  }
  const skipped = sum('skipped')
  const failed = sum('failed') + (isCi ? skipped : 0)
  if (isCi && skipped > 0) process.stdout.write(`${skipped} skipped, which CI does not allow\n`)
  else if (skipped > 0) process.stdout.write(`${skipped} skipped\n`)
  const passed = sum('passed')
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
  process.exitCode = failed > 0 || passed + skipped === 0 ? 1 : 0
}

function nameOf({ name, file }: Result): string {
  return file === undefined ? name : `${name}, ${file}`
}

function sumOf(parts: readonly Result[], pick: (part: Result) => number): number {
  return parts.reduce((total, part) => total + pick(part), 0)
}

function sum(count: 'passed' | 'failed' | 'skipped'): number {
  return sumOf(results, (result) => result[count])
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function counts({
  passed,
  failed,
  skipped,
}: Pick<Result, 'passed' | 'failed' | 'skipped'>): string {
  const parts = [`${passed} passed`, `${failed} failed`]
  return [...parts, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ')
}
