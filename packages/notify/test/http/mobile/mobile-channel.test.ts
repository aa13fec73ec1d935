import type { Instance } from '@svc/platform'
import { anyStore, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import type { ChannelOutcome } from '../../../src/channels/channel.ts'
import { createMobileChannel } from '../../../src/channels/mobile/mobile-channel.ts'
import { findStages } from '../../../src/channels/mobile/stages.ts'
import type {
  OutgoingPush,
  PushGateway,
  PushOutcome,
} from '../../../src/channels/mobile/push-gateway.ts'
import { type OwnerDevices, openOwnerDevices } from '../../support/owner-devices.ts'
import { recordedLog } from '../../support/recorded-log.ts'
import { never } from '../../support/sample-push.ts'
import { renderServices } from '../../support/render-services.ts'
import { sampleRecord } from '../../support/sample-record.ts'

type Memo = ChannelOutcome['memo']
type Changes = Parameters<typeof sampleRecord>[0]

const SENT: PushOutcome = { class: 'sent' }
const BUSY: PushOutcome = { class: 'transient', code: 'busy' }
const BAD: PushOutcome = { class: 'permanent', code: 'bad' }
const OFF: PushOutcome = { class: 'config', code: 'off' }
const DEAD: PushOutcome = { class: 'permanent', code: 'dead', isTokenDead: true }

anyStore((open) => {
  let clock: FakeClock
  let owner: OwnerDevices
  let sent: OutgoingPush[]
  /** What the host's gateway answers, by token. */
  let outcomes: Record<string, PushOutcome | (() => Promise<PushOutcome>)>
  let quota: { left: number; waitMs: number }
  let log: ReturnType<typeof recordedLog>

  beforeEach(async () => {
    clock = fakeClock()
    owner = await openOwnerDevices(await open({ clock }), clock)
    sent = []
    outcomes = {}
    quota = { left: 1000, waitMs: 600_000 }
    log = recordedLog()
  })
  afterEach(() => owner.close())

  const gateway: PushGateway = {
    async send(push) {
      sent.push(push)
      const outcome = outcomes[push.token] ?? SENT
      return typeof outcome === 'function' ? outcome() : outcome
    },
  }

  async function hitPushQuota(_: Instance, by: 1 | -1): Promise<number> {
    if (by === 1 && quota.left === 0) return quota.waitMs
    quota.left -= by
    return 0
  }

  async function attempt(
    changes: Changes = {},
    memo?: Memo,
    signal: AbortSignal = never(),
    patienceMs = 5000,
  ): Promise<ChannelOutcome> {
    const services = { ...renderServices(owner.oauth, log.log), clock }
    const channel = createMobileChannel(services, { patienceMs, gateway, hitPushQuota })
    const record = sampleRecord({ createdAt: clock.now(), scheduledAt: clock.now(), ...changes })
    const { instance } = owner
    return channel.attempt({ instance, record, signal, ...(memo !== undefined && { memo }) })
  }

  const tokens = (): string[] => sent.map(({ token }) => token)
  const drive = (token: string, more = {}) =>
    owner.add({ token, softwareId: 'registry://drive/stable', ...more })
  const flagship = (token: string, more = {}) =>
    owner.add({ token, softwareId: 'flagship', flagship: true, ...more })

  // notifications.md 16.1
  describe('the devices of a notification', () => {
    it('are those of the app that posted it, newest first, and no others', async () => {
      await drive('drive-1')
      await owner.add({ token: 'other' })
      await drive('drive-2')
      await flagship('flagship')
      const outcome = await attempt()
      expect(outcome.class).to.equal('sent')
      expect(tokens()).to.deep.equal(['drive-2', 'drive-1'])
      expect(sent[0]).to.deep.include({ slug: 'drive', title: 'Title', platform: 'android' })
      // A flagship device is none of the app it is linked to: it names the app (16.1.3).
      await drive('of-drive', { flagship: true })
      const stages = await findStages(owner.oauth, owner.instance, { slug: 'drive' })
      const names = (all: readonly { token: string }[]) => all.map(({ token }) => token)
      expect(names(stages.dedicated)).to.deep.equal(['drive-2', 'drive-1'])
      expect(names(stages.flagship)).to.deep.equal(['of-drive', 'flagship'])
    })

    it('are those with the software of an unlinked client that posted it', async () => {
      const poster = await owner.add({ token: 'mine', softwareId: 'software-a' })
      await owner.add({ token: 'same', softwareId: 'software-a' })
      await owner.add({ token: 'other', softwareId: 'software-b' })
      const { slug: _, ...unlinked } = sampleRecord()
      await attempt({ ...unlinked, slug: undefined, originator: 'oauth', clientId: poster })
      expect(tokens()).to.deep.equal(['same', 'mine'])
      expect(sent[0]).not.to.have.property('slug')
    })

    it('are the flagship ones when nobody of the others was reached', async () => {
      await drive('drive')
      await flagship('flagship-1')
      await flagship('flagship-2')
      for (const outcome of [BAD, OFF, BUSY]) {
        sent = []
        outcomes['drive'] = outcome
        expect((await attempt()).class).to.equal('sent')
        expect(tokens()).to.deep.equal(['drive', 'flagship-2', 'flagship-1'])
        expect(sent[1]).not.to.have.property('slug')
      }
    })

    it('are none without one: for good, so that the next channel has its turn', async () => {
      await owner.add({ token: 'other' })
      await owner.add({ token: 'waiting', softwareId: 'registry://drive', isAllowed: false })
      await flagship('stranger', { isAllowed: false })
      expect(await attempt()).to.deep.equal({ class: 'permanent', code: 'no_device' })
      expect(sent).to.deep.equal([])
    })

    // notifications.md 17
    it('are no longer those of an app that is gone', async () => {
      await drive('drive')
      owner.installed.delete('drive')
      expect((await attempt()).code).to.equal('no_device')
    })

    it('get a token once, whoever holds it', async () => {
      await flagship('shared')
      await drive('shared')
      await drive('shared')
      outcomes['shared'] = BAD
      const outcome = await attempt()
      expect([outcome.class, outcome.code]).to.deep.equal(['permanent', 'bad'])
      expect(tokens()).to.deep.equal(['shared'])
    })

    // notifications.md 13
    it('are ten that are reached, the rest is ignored with a warning', async () => {
      for (let n = 0; n < 13; n += 1) await drive(`t${n}`)
      outcomes['t12'] = BAD
      outcomes['t11'] = BUSY
      const outcome = await attempt()
      expect(tokens()).to.have.members(Array.from({ length: 12 }, (_, n) => `t${n + 1}`))
      expect(outcome.class).to.equal('sent')
      expect(outcome).not.to.have.property('isUnfinished')
      const ignored = log.lines.filter((line) => line.includes('ignored'))
      expect(ignored).to.deep.equal([
        'warn push.devices.ignored {"domain":"alice.example.com","count":1}',
      ])
    })
  })

  describe('the outcome', () => {
    const cases: readonly [string, readonly PushOutcome[], PushOutcome][] = [
      ['is what may still work before what is misconfigured', [OFF, BUSY, BAD], BUSY],
      ['is what is misconfigured before what is for good', [BAD, OFF], OFF],
      ['is for good when all are', [BAD, DEAD], DEAD],
      [
        'waits as long as the provider that asks for most',
        [
          { ...BUSY, retryAfterMs: 2000 },
          { ...BUSY, retryAfterMs: 7000 },
        ],
        { ...BUSY, retryAfterMs: 7000 },
      ],
    ]
    for (const [what, given, expected] of cases) {
      it(what, async () => {
        for (const [n, outcome] of given.entries()) {
          await drive(`t${n}`)
          outcomes[`t${n}`] = outcome
        }
        const { memo: _, ...outcome } = await attempt()
        const { isTokenDead: __, ...rest } = expected
        expect(outcome).to.deep.equal(rest)
      })
    }

    it('is transient when the gateway of the host fails, and others still get theirs', async () => {
      await drive('one')
      await drive('two')
      outcomes['two'] = () => Promise.reject(new Error('about two'))
      const outcome = await attempt()
      expect([outcome.class, outcome.isUnfinished]).to.deep.equal(['sent', true])
      const [line = ''] = log.lines
      expect(line).to.match(/^error push\.gateway\.failed .*"fault":"Error at /)
      expect(line).not.to.include('about two')
    })

    it('does not depend on a provider that never answers', async () => {
      await drive('silent')
      await flagship('flagship')
      const ending = new AbortController()
      outcomes['silent'] = () =>
        new Promise((resolve) => {
          ending.signal.addEventListener('abort', () => resolve(BUSY))
        })
      outcomes['flagship'] = async () => {
        ending.abort()
        return SENT
      }
      const outcome = await attempt({}, undefined, ending.signal, 20)
      expect(tokens()).to.deep.equal(['silent', 'flagship'])
      expect([outcome.class, outcome.isUnfinished]).to.deep.equal(['sent', true])
    })

    it('is told in the log of each device that failed, without its token', async () => {
      await drive('secret')
      outcomes['secret'] = OFF
      await attempt()
      const fields =
        '{"domain":"alice.example.com","platform":"android","class":"config","code":"off"}'
      expect(log.lines).to.deep.equal([`warn push.failed ${fields}`])
    })

    it('is transient for whoever had no turn before the attempt was over', async () => {
      await drive('one')
      const outcome = await attempt({}, undefined, AbortSignal.abort())
      expect([outcome.class, outcome.code]).to.deep.equal(['transient', 'timeout'])
      expect(sent).to.deep.equal([])
    })
  })

  // notifications.md 16.1 (5), (6)
  describe('another attempt', () => {
    it('goes to those who failed for a moment, and never twice to one who has it', async () => {
      for (const token of ['has-it', 'busy', 'bad', 'off']) await drive(token)
      Object.assign(outcomes, { busy: BUSY, bad: BAD, off: OFF })
      const first = await attempt()
      expect([first.class, first.isUnfinished]).to.deep.equal(['sent', true])
      sent = []
      await drive('new')
      const second = await attempt({}, first.memo)
      expect(tokens()).to.deep.equal(['busy'])
      expect([second.class, second.isUnfinished]).to.deep.equal(['sent', true])
      sent = []
      outcomes['busy'] = SENT
      const third = await attempt({}, second.memo)
      expect(tokens()).to.deep.equal(['busy'])
      expect(third.class).to.equal('sent')
      expect(third).not.to.have.property('isUnfinished')
      sent = []
      await attempt({}, third.memo)
      expect(sent).to.deep.equal([])
    })

    it('has the same identifiers as the first', async () => {
      await drive('busy')
      outcomes['busy'] = BUSY
      const { memo } = await attempt()
      await attempt({}, memo)
      const [first, second] = sent
      expect(first?.id).to.match(
        /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      )
      for (const name of ['id', 'notId', 'collapseHash'] as const) {
        expect(second?.[name]).to.equal(first?.[name])
      }
    })

    it('tries all again but those who failed for good, as long as nobody was reached', async () => {
      for (const token of ['busy', 'bad', 'off']) await drive(token)
      Object.assign(outcomes, { busy: BUSY, bad: BAD, off: OFF })
      const first = await attempt()
      expect(first.class).to.equal('transient')
      sent = []
      await attempt({}, first.memo)
      expect(tokens()).to.deep.equal(['off', 'busy'])
    })

    it('keeps no token in what it remembers', async () => {
      await drive('secret-token')
      await drive('secret-busy')
      outcomes['secret-busy'] = BUSY
      expect(JSON.stringify((await attempt()).memo)).not.to.include('secret')
    })
  })

  // notifications.md 16.8
  describe('a dead token', () => {
    it('is taken from its clients, which stay', async () => {
      const id = await drive('dead')
      await drive('alive')
      outcomes['dead'] = DEAD
      await attempt()
      expect(await owner.tokens()).to.deep.equal(['alive'])
      expect(await owner.oauth.clients.get(owner.instance, id)).not.to.equal(undefined)
      expect(owner.lines.join('')).not.to.include('"dead"')
    })

    it('stays when it is only refused', async () => {
      await drive('bad')
      outcomes['bad'] = BAD
      await attempt()
      expect(await owner.tokens()).to.deep.equal(['bad'])
    })
  })

  // notifications.md 10.7, 13
  describe('the quota', () => {
    it('counts what was delivered, nothing else', async () => {
      await drive('one')
      await drive('two')
      outcomes['two'] = BAD
      await attempt()
      expect(quota.left).to.equal(999)
    })

    it('gives the turn to the next channel when it is spent', async () => {
      await drive('one')
      quota = { left: 0, waitMs: 5000 }
      const { memo: _, ...outcome } = await attempt()
      expect(outcome).to.deep.equal({
        class: 'transient',
        code: 'push_quota',
        // Longer than any wait within a channel.
        retryAfterMs: 60_001,
      })
      expect(sent).to.deep.equal([])
    })

    it('ends a delivery that has begun, without another try', async () => {
      for (let n = 0; n < 8; n += 1) await drive(`t${n}`)
      quota.left = 3
      const outcome = await attempt()
      expect(outcome.class).to.equal('sent')
      expect(outcome).not.to.have.property('isUnfinished')
      expect(sent).to.have.lengthOf(3)
    })
  })

  describe('a push', () => {
    const titles = async (changes: Changes): Promise<string[]> => {
      sent = []
      await attempt(changes)
      return sent.map(({ title }) => title)
    }

    // notifications.md 16.1 (4)
    it('names its app on the flagship app', async () => {
      await flagship('flagship')
      expect(await titles({})).to.deep.equal(['drive - Title'])
      expect(await titles({ data: { appName: 'My Drive' } })).to.deep.equal(['My Drive - Title'])
      expect(await titles({ data: { appName: '' } })).to.deep.equal(['Title'])
      expect(await titles({ data: { appName: 5 } })).to.deep.equal(['drive - Title'])
      expect(await titles({ slug: undefined })).to.deep.equal(['Title'])
      expect(await titles({ data: { appName: 'a\r\nb' } })).to.deep.equal(['a b - Title'])
    })

    it('carries what was posted', async () => {
      await drive('one')
      await attempt({ message: 'Text', sound: 'ding', priority: 'high', data: { a: 1 } })
      expect(sent[0]).to.deep.include({
        body: 'Text',
        sound: 'ding',
        priority: 'high',
        data: { a: 1 },
        notificationId: sampleRecord().id,
      })
      expect(sent[0]).not.to.have.property('ttlMs')
    })

    it('lives as long as its category says, from when it was due', async () => {
      await drive('one')
      const flags = { ...sampleRecord().flags, ttlMs: 100_000 }
      await attempt({ flags, scheduledAt: clock.now() - 30_000 })
      expect(sent[0]?.ttlMs).to.be.within(60_000, 70_000)
    })

    it('knows since when its token is good', async () => {
      await drive('one')
      await attempt()
      expect((clock.now() - (sent[0]?.tokenSince ?? 0)) / 1000).to.be.lessThan(60)
    })

    // notifications.md 23.10
    it('of a sensitive category says whose it is, in the language of the owner', async () => {
      await drive('one')
      await flagship('flagship')
      const flags = { ...sampleRecord().flags, sensitive: true }
      const data = { secret: 'secret', appName: 'secret' }
      await attempt({ title: 'secret', message: 'secret', data, flags })
      outcomes['one'] = BAD
      await attempt({ title: 'secret', message: 'secret', data, flags })
      const [first, , flagshipPush] = sent
      for (const push of [first, flagshipPush]) {
        expect(push).to.deep.include({
          title: 'Nouvelle notification de My Drive',
          body: '',
          data: { id: sampleRecord().id },
        })
      }
      expect(JSON.stringify(sent)).not.to.include('secret')
    })
  })
})
