import type { Store } from '@svc/store'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { changePreferences } from '../../src/preferences/preference-store.ts'
import type { CategoryPreference, Preferences } from '../../src/preferences/preferences.ts'
import { decideRelease } from '../../src/preferences/release-rules.ts'
import { sampleInstance } from '../sample-instance.ts'
import { sampleRecord } from '../support/sample-record.ts'
import { watchedStore } from '../support/watched-store.ts'

const DRIVE = 'io.svc.apps/drive'
const at = (iso: string): number => Date.parse(iso)
const PARIS = sampleInstance({ timeZone: 'Europe/Paris' })

describe('when a notification is released (notifications.md 23.2, 23.8, 23.9)', () => {
  anyStore((open) => {
    const announced: string[] = []
    async function decide(
      chosen: Partial<Preferences> & { readonly category?: CategoryPreference },
      now: number,
      changes: Parameters<typeof sampleRecord>[0] = {},
    ) {
      const real = await open()
      const scheduler: Store['scheduler'] = {
        at: async (_, id) => void announced.push(id.slice(id.indexOf('/') + 1)),
        cancel: (queue, id) => real.scheduler.cancel(queue, id),
        process: (queue, handle) => real.scheduler.process(queue, handle),
      }
      const services = { hostChannels: [], store: watchedStore(real, { scheduler }) }
      const { category = {}, ...rest } = chosen
      const sources = { [DRIVE]: { categories: { shares: category } } }
      await changePreferences(services, PARIS, () => ({ sources, ...rest }))
      announced.length = 0
      return decideRelease(services, PARIS, sampleRecord(changes), now)
    }

    // Daily at a time within the quiet hours: it comes at their end, on the clocks of the owner.
    const nights: readonly (readonly [name: string, now: string, due: string])[] = [
      ['an ordinary night', '2026-03-20T20:00:00Z', '2026-03-21T06:00:00Z'],
      ['the night that skips an hour', '2026-03-28T20:00:00Z', '2026-03-29T05:00:00Z'],
      ['the night that repeats an hour', '2026-10-24T20:00:00Z', '2026-10-25T06:00:00Z'],
    ]
    for (const time of ['02:30', '06:59', '07:00']) {
      for (const [name, now, due] of nights) {
        it(`a digest at ${time} comes once, at the end of the quiet hours, in ${name}`, async () => {
          const quietHours = { start: '22:00', end: '07:00' }
          const category = { digest: `daily@${time}` as const }
          const decision = await decide({ quietHours, category }, at(now))
          expect(decision).to.deep.equal({
            kind: 'digest',
            digestId: String(at(due)),
            until: at(due),
          })
          expect(announced).to.deep.equal([String(at(due))])
          // When it is due: gathered already, waiting for the mail, in no other digest.
          const digestId = String(at(due))
          const later = await decide({ quietHours, category }, at(due), { digestId })
          expect(later).to.deep.equal({ kind: 'defer', until: at(due) + 30 * 60_000 })
          expect(announced).to.deep.equal([])
          const late = await decide({ quietHours, category }, at(due) + 30 * 60_000, { digestId })
          expect(late).to.include({ kind: 'send' })
        })
      }
    }

    it('is gathered for no mail that is off, and muted without any channel left', async () => {
      const now = at('2026-03-20T12:00:00Z')
      const off = (...names: ('mail' | 'mobile' | 'sms')[]) => ({
        category: { digest: '1h', off: names } as const,
      })
      const mobile = await decide(off('mail'), now)
      expect(mobile).to.deep.equal({ kind: 'send', channels: ['mobile'] })
      expect(await decide(off('mail', 'mobile'), now)).to.deep.equal({
        kind: 'skip',
        reason: 'muted',
      })
      expect(announced).to.deep.equal([])
    })

    it('of the server itself is never muted, by any choice under its name', async () => {
      const now = at('2026-03-20T12:00:00Z')
      const sources = { '': { isBlocked: true, mutedUntil: now + 1 } } as const
      for (const originator of ['stack', 'cli'] as const) {
        const decision = await decide({ sources }, now, { originator, postedBy: '' })
        expect(decision).to.include({ kind: 'send' })
      }
    })

    it('knows no choice by the name of what every object has', async () => {
      const now = at('2026-03-20T12:00:00Z')
      for (const category of ['constructor', 'toString', 'valueOf', 'hasOwnProperty']) {
        const decision = await decide({}, now, { category, postedBy: category })
        expect(decision).to.include({ kind: 'send' })
      }
    })
  })
})
