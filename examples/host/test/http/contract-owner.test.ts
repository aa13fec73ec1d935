import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { exitCodeOf, PROFILES, type Report, run, type RunOptions } from '@svc/contract'
import { needsChromium, until } from '@svc/testkit'
import { expect } from 'chai'
import {
  CONTRACT_ADMIN_TOKEN,
  CONTRACT_PASSPHRASE as PASSPHRASE,
  createContractOwner,
  journalIn,
  spawnContract,
} from '../support/contract-run.ts'
import { testFolder } from '../support/for-test.ts'
import { type HostProcess, spawnHost } from '../support/host-process.ts'

const PROFILE = PROFILES.find(({ name }) => name === 'svc')
const MINUTE = 60_000

describe('the owner of a run of the contract', function () {
  this.timeout(3 * MINUTE)
  let host: HostProcess
  let count = 0
  let domain = ''

  before(async () => {
    host = await spawnHost({ env: { SVC_ADMIN_TOKEN: CONTRACT_ADMIN_TOKEN } })
  })
  after(() => host.stop())
  beforeEach(async () => {
    domain = `owner${++count}.localhost`
    await createContractOwner(host, domain)
  })

  function ask(options: Partial<RunOptions>): Promise<Report> {
    if (PROFILE === undefined) throw new Error('there is no profile svc')
    return run({
      target: `http://${domain}`,
      profile: PROFILE,
      connectTo: [{ host: '', port: '80', toHost: '127.0.0.1', toPort: String(host.port) }],
      ...options,
    })
  }

  it('may be a browser that fills the pages', async function () {
    needsChromium(this)
    const groups = ['AUT', 'CNF', 'APP']
    const report = await ask({ driver: 'chromium', passphrase: PASSPHRASE, selection: { groups } })
    const others = report.verdicts.filter(({ outcome }) => outcome !== 'passed')
    expect(others.map(({ id, reason }) => `${id}: ${reason}`)).to.deep.equal([])
    expect(exitCodeOf(report)).to.equal(0)
    const page = report.recording.exchanges.find(({ label }) => label === 'aut.ok.submit')
    const agent = page?.request.headers.find(([name]) => name.toLowerCase() === 'user-agent')
    expect(agent?.[1]).to.match(/Chrome\//)
    expect(JSON.stringify(report)).to.not.include(PASSPHRASE)
  })

  it('may be a session, which stays: what asks for the passphrase is skipped', async () => {
    const session = await openSession()
    const report = await ask({ session, selection: { groups: ['SES', 'AUT', 'APP', 'SHM'] } })
    expect(exitCodeOf(report), JSON.stringify(report.recording.stopped)).to.equal(0)
    const outcomes = Map.groupBy(report.verdicts, ({ group }) => group)
    const ses = outcomes.get('SES') ?? []
    expect(new Set(ses.map(({ outcome }) => outcome))).to.deep.equal(new Set(['skipped']))
    expect(ses[0]?.reason).to.include('it needs the passphrase')
    for (const group of ['AUT', 'APP']) {
      const others = outcomes.get(group)?.filter(({ outcome }) => outcome !== 'passed')
      expect(
        others?.map(({ id, reason }) => `${id}: ${reason}`),
        group,
      ).to.deep.equal([])
    }
    const value = session.split('=')[1] ?? ''
    expect(value).to.not.equal('')
    expect(JSON.stringify(report)).to.not.include(value)
    const again = await ask({ session, selection: { groups: ['APP'] } })
    expect(exitCodeOf(again), 'the session is still there').to.equal(0)
  })

  /** A session that was made elsewhere, as a cookie. */
  async function openSession(): Promise<string> {
    const answer = await fetch(
      `http://127.0.0.1:${host.adminPort}/instances/${domain}/app-tokens`,
      {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${CONTRACT_ADMIN_TOKEN}`,
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ slug: 'home' }),
      },
    )
    const { cookie } = (await answer.json()) as { readonly cookie: string } // as the route answers
    return cookie
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`leaves nothing behind when it is ended by ${signal}`, async () => {
      const folder = testFolder()
      await writeFile(path.join(folder, 'passphrase'), PASSPHRASE)
      const child = spawnContract(host, folder, [
        `http://${domain}`,
        '--owner-passphrase-file',
        'passphrase',
      ])
      const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
      await until(() => madeIn(folder) > 2 || child.exitCode !== null, { limitMs: MINUTE })
      expect(child.exitCode).to.equal(null)
      child.kill(signal)
      const [[code], said] = await ended
      expect(said).to.include('the run was ended')
      expect(code).to.equal(2)
      expect(await readdir(folder)).to.deep.equal(['passphrase'])
      expect(await clients()).to.deep.equal([])
    })
  }

  async function clients(): Promise<readonly unknown[]> {
    const { stdout } = await host.svc('client', 'list', domain, '--json')
    return (JSON.parse(stdout) as { clients: readonly unknown[] }).clients
  }
})

/** How much the journal of a run knows to be made. */
function madeIn(folder: string): number {
  const journal = journalIn(folder)
  return journal === undefined ? 0 : readFileSync(journal, 'utf8').split('"made"').length - 1
}
