import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  CannotRun,
  CATALOGUE,
  exitCodeOf,
  PROFILES,
  type Report,
  run,
  type RunOptions,
  selfTest,
} from '@svc/contract'
import { startRedisServer } from '@svc/store/testing'
import { needsRedis, timeBudget, until } from '@svc/testkit'
import { expect } from 'chai'
import {
  CONTRACT_ADMIN_TOKEN as ADMIN_TOKEN,
  CONTRACT_MAILBOX,
  CONTRACT_PASSPHRASE as PASSPHRASE,
  contractOperator,
  createContractOwner,
  journalIn,
  spawnContract,
} from '../support/contract-run.ts'
import { type HostProcess, spawnHost } from '../support/host-process.ts'
import { examplesOf, keptExamples, shapesOf } from '../support/http-examples.ts'

const DOMAIN = 'contract.localhost'
const PROFILE = PROFILES.find(({ name }) => name === 'svc')
const MINUTE = 60_000

describe('the contract, against the example host', function () {
  this.timeout(6 * MINUTE)

  it('holds on SQLite, as the examples of the documents show; each check notices a broken answer; nothing is left behind', async () => {
    const host = await spawnHost({ env: { SVC_ADMIN_TOKEN: ADMIN_TOKEN } })
    try {
      await createContractOwner(host, DOMAIN)
      const report = await check(host.port, whole(host))
      expectAllPassed(report)
      // test/fixtures/http-examples/make.ts writes them anew.
      expect(shapesOf(examplesOf(report))).to.deep.equal(shapesOf(keptExamples()))
      if (PROFILE === undefined) throw new Error('there is no profile svc')
      const { noticed, blind } = await selfTest(CATALOGUE, report.recording, PROFILE)
      expect(blind).to.deep.equal([])
      expect(noticed).to.have.lengthOf(CATALOGUE.length)
      const clients = await host.svc('client', 'list', DOMAIN, '--json')
      expect(JSON.parse(clients.stdout)).to.deep.equal({ clients: [] })
      const instances = await host.svc('instance', 'list', '--json')
      const { instances: left } = JSON.parse(instances.stdout) as {
        instances: { domain: string }[]
      }
      const ours = left.map(({ domain }) => domain).filter((one) => one.startsWith('contract'))
      expect(ours).to.deep.equal([DOMAIN])
      const types = await host.svc('account-type', 'list', '--json')
      expect(types.stdout).to.not.include('contract')
      const second = await check(host.port).catch((error: unknown) => error)
      expect(second).to.be.instanceOf(CannotRun)
      expect(String(second)).to.match(/used up; run it again in \d+ minutes/)
    } finally {
      await host.stop()
    }
  })

  it('leaves a journal when it is killed, by which everything is removed', async () => {
    const host = await spawnHost()
    const folder = await mkdtemp(path.join(tmpdir(), 'contract-killed-'))
    try {
      await createContractOwner(host, DOMAIN)
      const passphrase = path.join(folder, 'passphrase')
      await writeFile(passphrase, PASSPHRASE)
      const journal = await killedRun(host, folder, passphrase)
      const lines = readFileSync(journal, 'utf8')
      const [code] = await once(spawnContract(host, folder, ['clean', journal]), 'exit')
      expect(code).to.equal(0)
      expect(existsSync(journal)).to.equal(false)
      const clients = await host.svc('client', 'list', DOMAIN, '--json')
      // What was under way when it died is named in the journal and has no token yet; the server forgets it.
      const made = [...lines.matchAll(/"made":"([^"]+)"/g)].map(([, id = '']) => id)
      const names = [...lines.matchAll(/"id":"([^"]+)","kind":"client","name":"([^"]+)"/g)]
        .filter(([, id = '']) => made.includes(id))
        .map(([, , name]) => name)
      expect(names).to.not.be.empty
      for (const name of names) expect(clients.stdout).to.not.include(`"${name}"`)
      const again = await check(host.port, { selection: { groups: ['MET'] } })
      expect(exitCodeOf(again), 'the owner logs in at the first try').to.equal(0)
    } finally {
      await host.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('holds on Redis with two processes', async function () {
    needsRedis(this)
    const redis = await startRedisServer()
    const env = { SVC_STORE: redis.url, SVC_KEYS: key(), SVC_ADMIN_TOKEN: ADMIN_TOKEN }
    const hosts = await Promise.all([spawnHost({ env }), spawnHost({ env })])
    const front = await alternating(hosts.map(({ port }) => port))
    try {
      const [first] = hosts
      await createContractOwner(first, DOMAIN)
      expectAllPassed(await check((front.address() as AddressInfo).port, whole(first)))
    } finally {
      front.close()
      await Promise.all(hosts.map((host) => host.stop()))
      await redis.stop()
    }
  })
})

/** Runs the program until it has made a few things, then ends it without a warning. @returns its journal */
async function killedRun(host: HostProcess, folder: string, passphrase: string): Promise<string> {
  const words = [`http://${DOMAIN}`, '--owner-passphrase-file', passphrase]
  const child = spawnContract(host, folder, words)
  const exited = once(child, 'exit')
  await until(() => madeIn(folder) >= 4 || child.exitCode !== null, { limitMs: MINUTE })
  expect(child.exitCode).to.equal(null)
  child.kill('SIGKILL')
  await exited
  return journalIn(folder) ?? ''
}

function madeIn(folder: string): number {
  const journal = journalIn(folder)
  return journal === undefined ? 0 : readFileSync(journal, 'utf8').split('"made"').length - 1
}

/** What a run has beside the server: its operator, its mails, and a provider. */
function whole(host: HostProcess): Pick<RunOptions, 'mailbox' | 'operator'> {
  return { operator: contractOperator(host), mailbox: CONTRACT_MAILBOX }
}

function check(port: number, options: Partial<RunOptions> = {}): Promise<Report> {
  if (PROFILE === undefined) throw new Error('there is no profile svc')
  return run({
    target: `http://${DOMAIN}`,
    passphrase: PASSPHRASE,
    profile: PROFILE,
    ...options,
    connectTo: [{ host: '', port: '80', toHost: '127.0.0.1', toPort: String(port) }],
  })
}

function expectAllPassed(report: Report): void {
  const others = report.verdicts.filter(({ outcome }) => outcome !== 'passed')
  expect(others.map(({ id, outcome, reason }) => `${id} ${outcome}: ${reason}`)).to.deep.equal([])
  expect(report.recording.stopped).to.deep.equal({})
  expect(report.verdicts.length).to.be.at.least(332 + 68)
  expect(exitCodeOf(report)).to.equal(0)
  // A minute on a quiet machine with two cores; other tests may run beside this one.
  expect(report.ms).to.be.below(timeBudget(2 * MINUTE))
  expect(JSON.stringify(report)).to.not.include(PASSPHRASE)
}

/** Gives each connection to the next process in turn. */
async function alternating(ports: readonly number[]): Promise<Server> {
  let at = 0
  const server = createServer((incoming) => {
    const outgoing = connect(ports[at++ % ports.length] ?? 0, '127.0.0.1')
    incoming.pipe(outgoing).pipe(incoming)
    incoming.on('error', () => outgoing.destroy())
    outgoing.on('error', () => incoming.destroy())
    // The pipe pauses a socket whose other side has ended: unread, its own end would never be seen.
    outgoing.on('close', () => incoming.resume())
    incoming.on('close', () => outgoing.resume())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function key(): string {
  return `a:${Buffer.from(Array.from({ length: 32 }, (_, at) => at * 5 + 3)).toString('base64')}`
}
