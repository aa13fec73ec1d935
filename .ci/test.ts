/**
 * Runs everything this machine allows, one step after another, and says what was skipped and why.
 *
 *   node .ci/test.ts [--level checks|unit|contract|http|faults|deploy|e2e|embedding|site|dist] [--package <folder name>]
 *
 * The last line is `N passed, N failed`, a check such as lint counting as one test. Exit code 1 on any failure.
 * Under CI=true a skipped test is a failure. How long anything may take follows the machine: its slowness is measured
 * before the steps, or named by `SVC_TEST_SLOWNESS` (1 is a quiet machine).
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { installPackages, sharedPackages } from '../packages/testkit/src/packed-packages.ts'
import { measureAgain, slowness } from '../packages/testkit/src/time-budget.ts'
import { runStep, type Step, type StepResult } from './step.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const BIN = path.join(ROOT, 'node_modules/.bin')
const MINUTE_MS = 60_000
/** Steps at a time on two cores: suites use one at most, and wait for clocks, stores and pages between. */
const LANES = 3
/** Files of a suite that one step runs at most. */
const PART_FILES = 8
/** Between two measurements of the slowness; milliseconds. */
const MEASURED_MS = 30_000

/** In this order: what fails fast and explains the most comes first. */
const LEVELS = ['unit', 'contract', 'http', 'faults', 'deploy', 'e2e', 'embedding'] as const

/** Of the longest suites, files that use a package by its entry, and all that it ships: pages, scripts, texts, threads. */
const PACKED: Readonly<Record<string, RegExp>> = {
  'auth-ui': /(?:authorize-pages|confirm|login|passkeys|settings)\.test\.ts$/,
  connectors: /(?:callback-host|reconnect|redirect|refresh|start|statuses)\.test\.ts$/,
  'oauth-core':
    /(?:assistant-consent|attestation|authorize|everything|guard|register|routes)\.test\.ts$/,
  notify:
    /\/(?:engine-assembly|host-channel|preferences|routes|rules-statuses|unsubscribe)\.test\.ts$/,
}

const { values: options } = parseArgs({
  options: {
    level: { type: 'string', multiple: true },
    package: { type: 'string', multiple: true },
  },
})

const isCi = process.env['CI'] === 'true'
const results: StepResult[] = []
let measuredAt = -Infinity
const packed = mkdtempSync(path.join(tmpdir(), 'svc-packed-'))
const compiled = mkdtempSync(path.join(tmpdir(), 'svc-compiled-'))
// Suites and the processes they start load the same modules: each is compiled once.
process.env['NODE_COMPILE_CACHE'] = compiled
try {
  await runAll()
} finally {
  for (const folder of [packed, compiled]) rmSync(folder, { recursive: true, force: true })
}
report()

async function runAll(): Promise<void> {
  if (isWanted('checks')) {
    for (const check of checks()) await run(check)
    // The tests of the installation begin with it.
    process.env['SVC_BUNDLE'] = path.join(packed, 'bundle')
  }
  if (['embedding', 'checks', 'site', 'dist'].some(isWanted)) {
    // Once for everything that installs them.
    process.env['SVC_TARBALLS'] = path.join(packed, 'tarballs')
    await run(
      check('packed packages', 'node', [
        '.ci/pack/main.ts',
        '--out',
        path.join(packed, 'tarballs'),
      ]),
    )
  }
  // The longest last, in parts: no lane is idle while another one is busy with a long one.
  await runInLanes([
    ...LEVELS.filter(isWanted).flatMap((level) =>
      suites(level)
        .flatMap((suite) => inParts(suite, level))
        .toSorted((one, other) => one.arguments.length - other.arguments.length)
        .map((step) => [step]),
    ),
    ...(isWanted('site') ? [siteSteps()] : []),
  ])
  if (isWanted('checks') || isWanted('dist')) await runPacked()
}

function isWanted(level: string): boolean {
  return options.level === undefined || options.level.includes(level)
}

async function run(step: Step): Promise<void> {
  followMachine()
  process.stdout.write(`\n── ${step.name}\n`)
  const result = await runStep(step, (chunk) => process.stdout.write(chunk))
  conclude(result)
}

/** Several at a time; those of one list one after the other. What a step prints is shown when it has ended. */
async function runInLanes(lists: readonly (readonly Step[])[]): Promise<void> {
  const waiting = [...lists]
  async function lane(): Promise<void> {
    for (let steps = waiting.shift(); steps !== undefined; steps = waiting.shift()) {
      for (const step of steps) {
        followMachine()
        const printed: Buffer[] = []
        const result = await runStep(step, (chunk) => void printed.push(chunk))
        process.stdout.write(`\n── ${step.name}\n`)
        process.stdout.write(Buffer.concat(printed))
        conclude(result)
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

/** The load of a machine may grow during a run: the steps to come get more time then. */
function followMachine(): void {
  if (performance.now() - measuredAt < MEASURED_MS) return
  measureAgain()
  measuredAt = performance.now()
}

function conclude(result: StepResult): void {
  results.push(result)
  const fault = result.fault === undefined ? '' : `: ${result.fault}`
  process.stdout.write(`   ${counts(result)} in ${seconds(result)}${fault}\n`)
}

function checks(): Step[] {
  return [
    check('format', 'biome', ['format', '.']),
    check('types and build', 'tsc', ['-b']),
    check('joined scripts', 'node', ['.ci/join/main.ts']),
    check('lint', 'oxlint', [
      '--type-aware',
      '--deny-warnings',
      'packages',
      'examples',
      'docs',
      '.ci',
    ]),
    check('unused code', 'knip', ['--no-progress']),
    check('shape of the packages', 'node', ['.ci/house.ts']),
    check('documents', 'node', ['--conditions=source', 'docs/build/main.ts', '--check']),
    check('public surface', 'node', ['--conditions=source', '.ci/public/main.ts']),
    check('bundle', 'node', ['.ci/bundle/main.ts', '--out', path.join(packed, 'bundle')]),
  ]
}

/** The packages as others will install them: well-formed, and the http suites hold on them. */
async function runPacked(): Promise<void> {
  const tarballs = sharedPackages(ROOT)
  for (const { name, file } of tarballs) {
    if (!isWanted('checks')) continue
    await run(check(`publint ${name}`, 'publint', ['run', file, '--strict']))
    await run(check(`types of ${name}`, 'attw', [file, '--profile', 'esm-only', '--no-emoji']))
  }
  if (!isWanted('dist')) return
  installPackages(tarballs, packed)
  await run(check('signatures of the registry', 'node', ['.ci/signatures.ts', packed]))
  const hook = path.join(import.meta.dirname, 'use-packed.ts')
  const env = {
    NODE_OPTIONS: `--import=file://${hook}`,
    SVC_PACKED: packed,
  }
  // What packing could break does not depend on the store: one suite tries both engines.
  const storesOf = (name: string): string => (name.includes('realtime') ? 'memory,redis' : 'memory')
  await runInLanes(
    suites('http')
      .filter(({ folder }) => path.basename(path.dirname(folder)) === 'packages')
      .flatMap((suite) => inParts(suite, 'http'))
      .map((suite) => ({
        ...suite,
        name: `${suite.name}, from the packed packages`,
        arguments: suite.arguments.filter((argument) => isWorthPacking(suite, argument)),
        env: { ...env, SVC_TEST_STORES: storesOf(suite.name) },
      }))
      .filter((suite) => suite.arguments.some((argument) => argument.startsWith('test/')))
      .map((suite) => [suite]),
  )
}

/** The documents as a site, from the Markdown and the packed packages. */
function siteSteps(): Step[] {
  const tarballs = path.join(packed, 'tarballs')
  return [
    {
      ...check('site of the documents', 'node', ['.ci/site.ts', '--tarballs', tarballs]),
      // It installs what nothing else needs.
      limitMs: 10 * MINUTE_MS,
    },
    ...suites('site'),
  ]
}

function isWorthPacking({ folder }: Step, argument: string): boolean {
  const wanted = PACKED[path.basename(folder)]
  return wanted === undefined || !argument.startsWith('test/') || wanted.test(argument)
}

function check(name: string, command: string, args: readonly string[]): Step {
  return {
    name,
    kind: 'check',
    command: path.join(BIN, command),
    arguments: args,
    folder: ROOT,
    limitMs: 3 * MINUTE_MS,
  }
}

function suites(level: string): Step[] {
  const folders = globSync(['packages/*', 'examples/*'], { cwd: ROOT }).toSorted()
  return folders.flatMap((folder) => {
    const absolute = path.join(ROOT, folder)
    const isAsked = options.package?.includes(path.basename(folder)) ?? true
    const pattern = `test/${level}/**/*.test.ts`
    if (!isAsked || globSync(pattern, { cwd: absolute }).length === 0) return []
    const config = path.relative(absolute, path.join(ROOT, '.mocharc.json'))
    const reporter = path.join(import.meta.dirname, 'events-reporter.ts')
    return {
      name: `${packageName(absolute)} ${level}`,
      kind: 'suite',
      command: path.join(BIN, 'mocha'),
      arguments: ['--config', config, '--forbid-only', '--reporter', reporter, pattern],
      folder: absolute,
      // That a file keeps what memory keeps is what the contract suite is for.
      ...(level === 'http' && { env: { SVC_TEST_STORES: 'memory,redis' } }),
      limitMs: 20 * MINUTE_MS,
    }
  })
}

/** A long suite in parts of its files, so that all lanes are busy to the end. */
function inParts(suite: Step, level: string): Step[] {
  const files = globSync(`test/${level}/**/*.test.ts`, { cwd: suite.folder }).toSorted()
  // Each file that installs the packages waits for most of its time.
  const count = level === 'embedding' ? files.length : Math.ceil(files.length / PART_FILES)
  if (count === 1) return [suite]
  const options = suite.arguments.slice(0, -1)
  return Array.from({ length: count }, (_, part) => ({
    ...suite,
    name: `${suite.name}, ${part + 1} of ${count}`,
    arguments: [...options, ...files.filter((_file, at) => at % count === part)],
  }))
}

function packageName(folder: string): string {
  // The workspace's own manifest: it has a name.
  return (JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { name: string })
    .name
}

function report(): void {
  const width = Math.max(...results.map((result) => result.name.length), 0)
  process.stdout.write(`\nslowness of this machine: ${slowness()}\n`)
  for (const result of results) {
    const line = `${result.name.padEnd(width)}  ${seconds(result).padStart(7)}  ${counts(result)}`
    process.stdout.write(`${line}${result.fault === undefined ? '' : `  (${result.fault})`}\n`)
  }
  // Once more at the end, where the record of a long run is still looked at.
  for (const { name, failures } of results) {
    for (const failure of failures) process.stdout.write(`failed in ${name}: ${failure}\n`)
  }
  const skipped = sum('skipped')
  for (const result of results) {
    if (result.skipped === 0 && result.reasons.length === 0) continue
    const reasons = result.reasons.length === 0 ? ['no reason given'] : result.reasons
    for (const reason of reasons) process.stdout.write(`skipped in ${result.name}: ${reason}\n`)
  }
  const failed = sum('failed') + (isCi ? skipped : 0)
  if (isCi && skipped > 0) process.stdout.write(`${skipped} skipped, which CI does not allow\n`)
  else if (skipped > 0) process.stdout.write(`${skipped} skipped\n`)
  const passed = sum('passed')
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
  process.exitCode = failed > 0 || passed + skipped === 0 ? 1 : 0
}

function sum(count: 'passed' | 'failed' | 'skipped'): number {
  return results.reduce((total, result) => total + result[count], 0)
}

function seconds(result: StepResult): string {
  return `${(result.durationMs / 1000).toFixed(1)} s`
}

function counts({ passed, failed, skipped }: StepResult): string {
  const parts = [`${passed} passed`, `${failed} failed`]
  return [...parts, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ')
}
