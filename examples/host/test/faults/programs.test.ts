import { spawn } from 'node:child_process'
import path from 'node:path'
import { needsLoopbackAddresses, needsRedis, scaledLimit, timeBudget } from '@svc/testkit'
import { expect } from 'chai'

const FAULTS = path.resolve(import.meta.dirname, '../../faults')

/** Each in its short form: enough to show that it can fail, not to show that nothing ever does. */
const PROGRAMS: readonly (readonly [name: string, options: readonly string[]])[] = [
  ['connections', ['--count', '40', '--seconds', '45']],
  ['kill', ['--count', '25']],
  ['soak', ['--minutes', '0.3']],
  ['redis-faults', ['--count', '1']],
  ['fuzz', ['--count', '2000']],
  ['clock', ['--count', '4']],
  ['fill', ['--minutes', '0.2', '--quota', '4MiB']],
  ['assistants', ['--minutes', '0.2']],
  ['contract', ['--seeds', '2', '--kills', '2']],
  ['contract-breaks', ['--groups', 'REV,RTM']],
]
/**
 * After all others: two processes share the cores with a proxy and those who ask. Where they cannot keep up, requests wait
 * to be accepted until the very end of a process, so a slower machine is asked less often.
 */
const LAST = [
  'rolling',
  ['--restarts', '3', '--proxies', 'nginx', '--rate', String(Math.round(50 / scaledLimit(1)))],
] as const
/** Most of them wait for clocks. */
const LANES = 3
const LIMIT_MS = timeBudget(240_000)

interface Outcome {
  readonly code: number | null
  readonly lines: readonly string[]
}

describe('the fault programs', function () {
  this.timeout(LIMIT_MS * 3)
  const outcomes = new Map<string, Promise<Outcome>>()

  before(function () {
    needsRedis(this)
    needsLoopbackAddresses(this)
    const lanes = Array.from({ length: LANES }, () => Promise.resolve<unknown>(undefined))
    for (const [at, [name, options]] of PROGRAMS.entries()) {
      const outcome = (lanes[at % LANES] ?? Promise.resolve()).then(() => run(name, options))
      lanes[at % LANES] = outcome
      outcomes.set(name, outcome)
    }
    const [last, options] = LAST
    outcomes.set(
      last,
      Promise.all(lanes).then(() => run(last, options)),
    )
  })

  for (const [name, options] of [...PROGRAMS, LAST]) {
    it(`${name} ${options.join(' ')} passes`, async () => {
      const { code, lines } = (await outcomes.get(name)) ?? { code: null, lines: [] }
      // The figures come last: a report that is cut short shall have them.
      expect(lines.at(-1), lines.slice(-12).reverse().join('\n')).to.equal('passed')
      expect(code).to.equal(0)
      expect(lines[0]).to.match(/"seed":\d+/)
    })
  }
})

function run(name: string, options: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const file = path.join(FAULTS, `${name}.ts`)
    const child = spawn(process.execPath, ['--conditions=source', file, ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: LIMIT_MS,
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    child.once('close', (code) => {
      resolve({ code, lines: said.split('\n').filter((line) => line !== '') })
    })
  })
}
