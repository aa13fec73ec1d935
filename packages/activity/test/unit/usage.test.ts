import { type ActivityUse, dayOf } from '@svc/platform'
import { eachStore, fakeClock, until } from '@svc/testkit'
import { expect } from 'chai'
import { canonical, type Entry } from '../../src/chain/entry.ts'
import { index, USES } from '../../src/chain/keys.ts'
import { addCount, type DayOfUse, eventsOf } from '../../src/usage/counts.ts'
import { type ActivityServer, serversOn } from '../support/activity-server.ts'
import { entriesOf } from '../support/chain.ts'

const HOUR = 3_600_000
const DRIVE = { kind: 'client', id: 'drive', name: 'Drive' } as const

describe('the day of an owner', () => {
  const iso = (time: number): string => new Date(time).toISOString()

  it('ends at midnight where the owner is', () => {
    const noon = Date.UTC(2026, 0, 10, 12)
    const kiritimati = dayOf(noon, 'Pacific/Kiritimati')
    expect([kiritimati.name, iso(kiritimati.endsAt)]).to.deep.equal([
      '2026-01-11',
      '2026-01-11T10:00:00.000Z',
    ])
    expect(iso(dayOf(noon).endsAt)).to.equal('2026-01-11T00:00:00.000Z')
    expect(iso(dayOf(noon, 'No/Where').endsAt)).to.equal('2026-01-11T00:00:00.000Z')
    expect(dayOf(noon + 12 * HOUR).name).to.equal('2026-01-11')
  })

  it('has 23 or 25 hours when the clocks change', () => {
    for (const [day, hours] of [
      [Date.UTC(2026, 2, 29, 12), 23],
      [Date.UTC(2026, 9, 25, 12), 25],
    ] as const) {
      const { endsAt } = dayOf(day, 'Europe/Paris')
      const before = dayOf(endsAt - hours * HOUR, 'Europe/Paris')
      expect(before.endsAt).to.equal(endsAt)
      expect(dayOf(endsAt - hours * HOUR - 1, 'Europe/Paris').name).to.not.equal(before.name)
    }
  })
})

describe('the counts of a day', () => {
  function useOf(counts: ReadonlyMap<string, number>): DayOfUse {
    return {
      event: 'client.used',
      of: { ...DRIVE, name: 'ä'.repeat(100) },
      day: '2026-01-10',
      endsAt: 0,
      counts: Object.fromEntries(counts),
    }
  }

  it('know 64 kinds, and the others together', () => {
    const counts = new Map<string, number>()
    for (let at = 0; at < 70; at += 1) addCount(counts, `reads:io.svc.kind${at}`, 2)
    addCount(counts, 'changes:io.svc.kind1', 1)
    addCount(counts, 'changes:io.svc.kind69', 1)
    addCount(counts, 'refreshes', 3)
    expect(counts.size).to.equal(64 + 1 + 2 + 1)
    expect(counts.get('reads:other')).to.equal(12)
    expect(counts.get('changes:io.svc.kind1')).to.equal(1)
    expect(counts.get('changes:other')).to.equal(1)
    expect(counts.get('refreshes')).to.equal(3)
  })

  it('have as many entries as they need room', () => {
    const counts = new Map<string, number>()
    for (let at = 0; at < 64; at += 1)
      addCount(counts, `reads:io.svc.long.kind.number${at}`, at + 1)
    addCount(counts, 'refreshes', 7)
    const events = eventsOf(useOf(counts), 0)
    expect(events.length).to.be.within(2, 12)
    const details = events.map(
      ({ detail }) => detail as { reads?: Record<string, number>; refreshes?: number; day: string },
    )
    const reads = details.flatMap((each) => Object.values(each.reads ?? {}))
    expect(reads.length).to.equal(64)
    expect(reads.reduce((sum, one) => sum + one, 0)).to.equal((64 * 65) / 2)
    expect(details.filter(({ refreshes }) => refreshes === 7).length).to.equal(1)
    expect(details.every(({ day }) => day === '2026-01-10')).to.equal(true)
  })
})

eachStore((open, name) => {
  describe('what clients use', () => {
    const clock = fakeClock()
    beforeEach(() => clock.set(Date.UTC(2026, 0, 10, 12)))
    const start = serversOn(open, name, () => clock)

    const use = ({ platform, alice }: ActivityServer, what: Partial<ActivityUse>): void =>
      platform.activity.used(alice, { event: 'client.used', of: DRIVE, what: 'refreshes', ...what })

    async function usedEntries({ activity, alice, store }: ActivityServer) {
      await activity.chain(alice)
      const entries = await entriesOf(store, alice.id)
      return entries.filter(({ event }) => event.endsWith('.used'))
    }

    it('is one entry when the day has ended, whatever process counted', async () => {
      const first = await start()
      const second = await start({ sameAs: first })
      for (const server of [first, second]) {
        for (let at = 0; at < 5; at += 1) use(server, { what: 'reads', type: 'io.svc.files' })
        use(server, { what: 'changes', type: 'io.svc.contacts' })
        use(server, {})
        use(server, { event: 'account.used', of: { kind: 'account', id: 'a1', name: 'bank' } })
      }
      await Promise.all([first.activity.close(), second.activity.close()])
      expect(await usedEntries(first)).to.deep.equal([])
      await first.activity.start()
      clock.advance(12 * HOUR + 121_000)
      await until(async () => (await usedEntries(first)).length === 2)
      const entries = await usedEntries(first)
      const ofClient = entries.find(({ event }) => event === 'client.used') as Entry
      expect(ofClient.actor).to.deep.equal(DRIVE)
      expect(ofClient.group).to.equal('apps')
      expect(ofClient['detail']).to.deep.equal({
        day: '2026-01-10',
        reads: { 'io.svc.files': 10 },
        changes: { 'io.svc.contacts': 2 },
        refreshes: 2,
      })
      const ofAccount = entries.find(({ event }) => event === 'account.used')
      expect(ofAccount?.['target']).to.include({ id: 'a1', name: 'bank' })
      expect(ofAccount?.['detail']).to.include({ refreshes: 2 })
      expect(Buffer.byteLength(canonical(ofClient))).to.be.at.most(1024)
      expect(await first.activity.verify(first.alice)).to.include({ unbroken: true })
    })

    it('is counted on after a write that failed', async () => {
      const server = await start()
      const { alice, store, activity } = server
      use(server, {})
      const write = store.write.bind(store)
      let failures = 1
      store.write = (changes, options) => {
        failures -= 1
        return failures < 0 ? write(changes, options) : Promise.reject(new Error('it is down'))
      }
      await activity.close()
      use(server, {})
      await activity.close()
      const { records } = await store.list<DayOfUse>(index(alice.id, USES))
      expect(records.map(({ value }) => value.counts)).to.deep.equal([{ refreshes: 2 }])
    })

    it('is not counted for an instance that is gone', async () => {
      const server = await start()
      const { alice, platform, store, activity } = server
      use(server, {})
      await platform.instances.remove(alice.id)
      await activity.close()
      expect((await store.list(index(alice.id, USES))).records).to.deep.equal([])
    })
  })
})
