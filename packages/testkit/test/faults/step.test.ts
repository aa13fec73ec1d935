import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { runStep, type StepResult } from '../../../../.ci/step.ts'
import { timeBudget } from '../../src/index.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')

describe('a step of the whole run', function () {
  this.timeout(30_000)
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-step-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** Runs a suite that consists of this text; it has little time to say nothing. */
  async function runSuite(text: string): Promise<StepResult> {
    const file = path.join(folder, 'sample.test.mjs')
    await writeFile(file, text)
    const options = ['--config', path.join(ROOT, '.mocharc.json')]
    const reporter = path.join(ROOT, '.ci/events-reporter.ts')
    return runStep(
      {
        name: 'sample',
        kind: 'suite',
        folder: path.join(ROOT, 'packages/testkit'),
        command: path.join(ROOT, 'node_modules/.bin/mocha'),
        arguments: [...options, '--reporter', reporter, file],
        limitMs: 60_000,
        silenceMs: 700,
        graceMs: 700,
      },
      () => {},
    )
  }

  it('goes on while its tests end one after another, for longer than it may say nothing', async () => {
    const count = 60
    const pauseMs = timeBudget(100) / 6
    expect(count * pauseMs).to.be.above(timeBudget(100) + timeBudget(700))
    const result = await runSuite(
      `describe('many', function () {
        this.timeout(100)
        for (let n = 0; n < ${count}; n += 1) {
          it('test ' + n, () => new Promise((done) => setTimeout(done, ${pauseMs})))
        }
      })`,
    )
    expect(result.fault).to.equal(undefined)
    expect(result).to.include({ passed: count, failed: 0 })
  })

  it('that hangs without leaving mocha a turn is ended, and names its test', async () => {
    const result = await runSuite(
      `describe('a loop', function () {
        this.timeout(100)
        it('ends', () => {})
        it('has no end', () => { for (;;) {} })
      })`,
    )
    expect(result).to.include({ passed: 1, failed: 1 })
    expect(result.fault).to.match(
      /^did not finish \(nothing happened for \d+ s\); last test: a loop has no end$/,
    )
  })

  it('whose test waits for too long fails by that test, and goes on with the next', async () => {
    const result = await runSuite(
      `describe('a wait', function () {
        this.timeout(50)
        it('has no end', () => new Promise(() => {}))
        it('is followed', () => {})
      })`,
    )
    expect(result).to.include({ passed: 1, failed: 1 })
    expect(result.fault).to.equal(undefined)
    expect(result.failures).to.have.lengthOf(1)
    expect(result.failures[0]).to.match(/^a wait has no end: Timeout of \d+ms exceeded/)
  })

  it('that leaves something open is ended, and says what', async () => {
    const result = await runSuite(
      `import { createServer } from 'node:net'
      it('listens', () => { createServer().listen(0, '127.0.0.1') })`,
    )
    expect(result).to.include({ passed: 1, failed: 1 })
    expect(result.fault).to.match(/^the process did not end after its last test: .*TCPServerWrap/)
  })
})
