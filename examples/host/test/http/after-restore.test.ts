import path from 'node:path'
import { HOUR_MS } from '@svc/platform'
import { recordKey } from '@svc/store'
import type { EmbeddedStore } from '@svc/store/sqlite'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { restoreBackup } from '../../src/backups/restore-backup.ts'
import { type RunningHost, startHost } from '../../src/host.ts'
import { testFolder } from '../support/for-test.ts'
import { type Recorded, recordingLog, startTestHost, type TestHost } from '../support/test-host.ts'

describe('the first start after a restore', function () {
  this.timeout(60_000)
  let folder: string
  let host: TestHost
  let clock: FakeClock
  let again: RunningHost | undefined

  beforeEach(async () => {
    folder = testFolder()
    clock = fakeClock()
    host = await startTestHost({}, 'alice.example.com', clock)
  })
  afterEach(async () => {
    await again?.stop()
    await host.stop()
  })

  async function post(inHours: number, title: string): Promise<void> {
    await host.host.app.notify.post(host.instance, {
      originator: 'cli',
      category: 'operator',
      declaration: {},
      title,
      message: 'Words.',
      preferredChannels: ['mail'],
      at: new Date(clock.now() + inHours * HOUR_MS).toISOString(),
    })
  }

  /** Copies the store, stops, waits, and puts the copy back. */
  async function restore(waitHours: number, revokeGrants: boolean): Promise<RunningHost> {
    const plain = path.join(folder, 'copy.db')
    const backupAt = clock.now()
    await (host.host.store as EmbeddedStore).backup(plain) // The default of a test host.
    await host.host.stop()
    clock.advance(waitHours * HOUR_MS)
    const place = path.join(host.config.dataDir, 'store.db')
    await restoreBackup({ plain, place, backupAt, revokeGrants, isSameInstant: false, clock })
    const recorded: Recorded = { lines: [], faults: [] }
    const { config } = host
    again = await startHost({ config, clock, log: recordingLog(recorded), notice: () => {} })
    return again
  }

  it('expires notifications whose time passed more than 24 hours ago, and keeps the others', async () => {
    await post(1, 'long ago')
    await post(20, 'a while ago')
    await post(60, 'to come')
    const { app } = await restore(30, false)
    const { notifications } = await app.notify.operator.list(host.instance, {})
    const states = new Map(notifications.map(({ title, status }) => [title, status]))
    expect(states.get('long ago')).to.equal('expired')
    expect(states.get('a while ago')).not.to.equal('expired')
    expect(states.get('to come')).not.to.be.oneOf(['expired', 'sent'])
  })

  it('begins the record of activity anew, which names where the old one ended', async () => {
    await host.host.app.ui.owners.updateInstance(host.instance, { publicName: 'Somebody else' })
    const before = await host.host.app.activity.verify(host.instance)
    const { app } = await restore(1, false)
    const lines: Record<string, unknown>[] = []
    for await (const line of app.activity.exportLines(host.instance)) {
      lines.push(JSON.parse(line) as Record<string, unknown>)
    }
    expect(lines[2]).to.include({ event: 'instance.changed' })
    expect(lines[2]?.['detail']).to.deep.equal({ members: ['publicName'] })
    const restored = lines.filter(({ event }) => event === 'store.restored')
    expect(restored.map(({ actor, seq }) => [actor, seq])).to.deep.equal([
      [{ kind: 'operator' }, before.seq + 1],
    ])
    expect(restored[0]?.['detail']).to.include({ chain: before.chain, seq: before.seq })
    expect(restored[0]?.['chain']).to.not.equal(before.chain)
    expect(await app.activity.verify(host.instance)).to.include({ unbroken: true })
  })

  for (const revokeGrants of [true, false]) {
    it(`${revokeGrants ? 'ends' : 'keeps'} what owners allowed ${revokeGrants ? 'with' : 'without'} --revoke-grants`, async () => {
      await host.connect('io.svc.files:GET')
      const { store } = await restore(1, revokeGrants)
      const { id } = host.instance
      let grants = 0
      let sessions = 0
      for await (const entry of store.dump()) {
        if (entry.type !== 'record') break
        if (entry.key.startsWith(`{${id}}:grant:`)) grants++
        if (entry.key.startsWith(`{${id}}:session:`)) sessions++
      }
      expect(grants).to.equal(revokeGrants ? 0 : 1)
      expect(sessions, 'sessions of before').to.equal(0)
      const notice = await store.get(recordKey(id, 'restored-notice', 'notice'))
      expect(notice).not.to.equal(undefined)
    })
  }
})
