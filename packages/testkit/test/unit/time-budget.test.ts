import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { timeBudget, until } from '../../src/index.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')

describe('timeBudget', () => {
  /** What a process of its own says. */
  async function said(slowness: string | undefined, program: string): Promise<string> {
    const { SVC_TEST_SLOWNESS: _own, ...env } = process.env
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=source', '--input-type=module', '--eval', program],
      {
        cwd: path.join(ROOT, 'packages/testkit'),
        env: { ...env, ...(slowness !== undefined && { SVC_TEST_SLOWNESS: slowness }) },
      },
    )
    return stdout.trim()
  }
  const budgets = "import { timeBudget } from './src/time-budget.ts'\n"

  it('grows with the slowness that the environment names, and has room above it', async () => {
    const program = `${budgets}console.log(timeBudget(100))`
    const [quiet, slow] = [Number(await said('1', program)), Number(await said('7.5', program))]
    expect(quiet).to.be.at.least(200)
    expect(slow).to.equal(quiet * 7.5)
  })

  it('is never longer than a timer may be, however slow the machine is', async () => {
    const program = `${budgets}console.log(timeBudget(timeBudget(360_000)))`
    expect(Number(await said('31.4', program))).to.equal(2 ** 31 - 1)
  })

  it('measures the machine when the environment names nothing, and hands that on', async () => {
    const program = `${budgets}console.log(timeBudget(1000), process.env.SVC_TEST_SLOWNESS)`
    const [budget, slowness] = (await said(undefined, program)).split(' ').map(Number)
    expect(slowness).to.be.at.least(1)
    expect(budget).to.be.at.least(1000 * (slowness ?? 0))
  })

  it('refuses a slowness that is none', async () => {
    for (const slowness of ['fast', '0', '101', '-1']) {
      const failure = await said(slowness, `${budgets}timeBudget(1)`).catch(String)
      expect(failure).to.include('SVC_TEST_SLOWNESS is a number from 1 to 100')
    }
  })

  it('is what every timeout of a test is', function () {
    this.timeout(1234)
    expect(this.timeout()).to.equal(timeBudget(1234))
  })
})

describe('until', () => {
  it('says what never came, and passes on what a look throws', async () => {
    const never = until(() => false, { limitMs: 1, describe: () => 'the mail' })
    expect(await never.catch(String)).to.match(/^Error: never within \d+ ms: the mail$/)
    const broken = until(() => Promise.reject(new Error('the store is down')))
    expect(await broken.catch(String)).to.equal('Error: the store is down')
  })
})
