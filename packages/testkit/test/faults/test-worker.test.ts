import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Result } from '../../../../.ci/step.ts'
import { TestWorker } from '../../../../.ci/test-worker.ts'
import { timeBudget } from '../../src/index.ts'
import { testFolder } from '../support/folders.ts'

describe('a worker of the whole run', function () {
  this.timeout(30_000)
  let folder: string
  let worker: TestWorker

  beforeEach(() => {
    folder = testFolder()
    worker = new TestWorker({ silenceMs: 700, graceMs: 700 })
  })
  afterEach(() => worker.close())

  /** Runs a file of tests that has little time to report nothing. */
  async function run(text: string, name = 'sample'): Promise<Result> {
    const file = `${name}.test.mjs`
    await writeFile(path.join(folder, file), text)
    return worker.run({ suite: 'sample', folder, file, env: {} }, () => {})
  }

  it('goes on while tests end one after another, for longer than it may report nothing', async () => {
    const count = 60
    const pauseMs = timeBudget(100) / 6
    expect(count * pauseMs).to.be.above(timeBudget(100) + timeBudget(700))
    const result = await run(
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

  it('ends a file that leaves mocha no turn, names its test, and runs the next file', async () => {
    const result = await run(
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
    expect(await run(`it('ends', () => {})`, 'next')).to.include({ passed: 1, failed: 0 })
  })

  it('fails the test that waits for too long, and goes on with the next', async () => {
    const result = await run(
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

  it('says what a file left open, and that it did not load', async () => {
    const result = await run(
      `import { createServer } from 'node:net'
      it('listens', () => { createServer().listen(0, '127.0.0.1') })`,
    )
    expect(result).to.include({ passed: 1, failed: 1 })
    expect(result.fault).to.equal('left open after its last test: 1 TCPServerWrap')
    const broken = await run(`import './absent.mjs'`, 'broken')
    expect(broken).to.include({ passed: 0, failed: 1 })
    expect(broken.fault).to.include('Cannot find module')
  })

  it('counts a process that ends in the middle as a failure', async () => {
    const result = await run(`it('ends the process', () => process.exit(0))`)
    expect(result).to.include({ passed: 0, failed: 1 })
    expect(result.fault).to.match(/^did not finish \(the process ended with 0\)/)
  })
})
