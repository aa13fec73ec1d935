import { expect } from 'chai'
import { fakeClock, until } from '@svc/testkit'
import { createStatus } from '../../src/monitoring/status-lines.ts'
import { StatusBoard } from '../../src/monitoring/status.ts'
import { listProcesses, putProcess } from '../../src/processes/process-record.ts'
import { hostEnvironment, runSvc } from '../support/host-process.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

describe('svc status', function () {
  this.timeout(30_000)
  const clock = fakeClock()
  let host: TestHost
  before(async () => {
    host = await startTestHost({}, 'alice.example.com', clock)
  })
  after(() => host.stop())

  async function svc(...args: string[]): Promise<string> {
    const env = hostEnvironment({
      SVC_ADMIN_URL: `http://127.0.0.1:${host.host.adminPort}`,
      SVC_ADMIN_TOKEN: host.config.adminToken ?? '',
    })
    const { code, stdout, stderr } = await runSvc(['status', ...args], env)
    expect(code, stderr).to.equal(0)
    return stdout
  }

  it('shows processes, store, keys, backup, disk, mails and alerts on one screen', async () => {
    const screen = await svc()
    for (const words of [
      /^svc 0\.\d+\.\d+\n/,
      /\nprocesses +ok +1 runs \(version 0\.\d+\.\d+\)\.\n/,
      /\nstore +ok +embedded \(SQLite\), answers/,
      /\nkeys +ok +k1 seals\.\n/,
      /\nbackup +warning +No verified backup/,
      /\ndisk +(ok|warning) +\d+\.\d GiB free/,
      /\nmails +ok +Kept in the development mailbox/,
      /\nAlerts:\n {2}backup: No verified backup/,
      new RegExp(`\\n\\S+ +${host.host.port} +up +0\\.`),
    ]) {
      expect(screen).to.match(words)
    }
    expect(screen.split('\n').length, 'lines').to.be.lessThan(25)
    expect(screen).to.not.include('alice')
  })

  it('answers the same as JSON', async () => {
    const status = JSON.parse(await svc('--json')) as {
      readonly state: string
      readonly lines: readonly { readonly subject: string }[]
    }
    expect(status.state).to.equal('warning')
    const subjects = ['processes', 'store', 'keys', 'backup', 'disk', 'mails']
    expect(status.lines.map(({ subject }) => subject)).to.deep.equal(subjects)
  })

  it('shows what svc keys status counted last, as the metric does, and counts nothing itself', async () => {
    const { app } = host.host
    const line = async () =>
      (await app.status.read()).lines.find(({ subject }) => subject === 'keys')?.facts ?? {}
    expect(await line()).to.deep.equal({ kids: ['k1'] })
    expect((await app.metrics.render()).text).to.not.match(/^svc_sealing_values\{/m)
    await until(async () => {
      const status = (await (await host.admin('GET', '/keys/status')).json()) as {
        readonly counted_at: string | null
      }
      return status.counted_at !== null
    })
    const sample = /^svc_sealing_values\{kid="k1"\} (\d+)$/m
    const shown = Number(sample.exec((await app.metrics.render()).text)?.[1])
    expect(shown).to.be.greaterThan(0)
    // What was counted stays what is shown, until somebody counts again.
    clock.advance(7_200_000)
    expect(await line()).to.deep.include({ values: { k1: shown } })
    clock.advance(-7_200_000)
  })

  it('names what differs between processes', async () => {
    const { store, app } = host.host
    const [own] = await listProcesses(store)
    if (own === undefined) throw new Error('the process has no record')
    const other = {
      ...own,
      id: 'another-process-0001',
      version: '0.0.9',
      kids: ['k2'],
      state: 'draining' as const,
      startedAt: own.startedAt + 1,
      options: { ...own.options, SVC_LIMITS_TOKEN: 'x' },
    }
    await store.write([putProcess(other)])
    const { lines } = await app.status.read()
    expect(lines[0]).to.deep.include({
      state: 'warning',
      text: `2 run, 1 of them about to stop (version ${own.version}, 0.0.9); their versions differ, their keys differ, SVC_LIMITS_TOKEN differs.`,
    })
  })

  it('says what could not be found out, and takes a later line of a subject instead', async () => {
    const board = new StatusBoard()
    board.add('backup', async () => ({ state: 'warning', text: 'none' }))
    board.add('store', () => Promise.reject(new Error('down')))
    board.add('backup', async () => ({ state: 'ok', text: 'Verified 3 h ago.' }))
    const { state, lines } = await board.read()
    expect(state).to.equal('fault')
    expect(lines[0]).to.deep.equal({ subject: 'backup', state: 'ok', text: 'Verified 3 h ago.' })
    expect(lines[1]).to.include({ subject: 'store', state: 'fault' })
    expect(lines[1]?.text).to.include('down')
  })

  it('warns when mails fail, and when none leave', async () => {
    const { config } = host
    const { store } = host.host
    async function mails(more: object, sent: object): Promise<unknown> {
      const figures = () => ({ accepted: 0, finished: {}, attempts: { mail: sent } })
      const { keys, settable } = host.host.app
      const parts = { config: { ...config, ...more }, store, settable, keyStatus: keys.status }
      const board = createStatus({ ...parts, notify: { figures } })
      return (await board.read()).lines.find(({ subject }) => subject === 'mails')
    }
    expect(await mails({ smtpUrl: 'smtp://x' }, { sent: 5, transient: 2, config: 1 })).to.include({
      state: 'warning',
      text: '3 of 8 tries of this process to mail a notification failed.',
    })
    expect(await mails({ smtpUrl: 'smtp://x' }, { sent: 5 })).to.include({ state: 'ok' })
    expect(await mails({ isProduction: true }, {})).to.include({ state: 'warning' })
  })
})
