import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createOutbound } from '@svc/platform'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import webPush from 'web-push'
import {
  createPushGateways,
  type PushGatewaysOptions,
} from '../../../src/channels/mobile/push-gateways.ts'
import type { PushGateway, PushOutcome } from '../../../src/channels/mobile/push-gateway.ts'
import type { MobileOptions } from '../../../src/index.ts'
import { sampleInstance } from '../../sample-instance.ts'
import { type ApnsServer, openApnsServer } from '../../support/apns-server.ts'
import { makeCertificates, type TestCertificates } from '../../support/certificates.ts'
import { type FcmServer, openFcmServer } from '../../support/fcm-server.ts'
import { openHuaweiServer } from '../../support/huawei-server.ts'
import { openPushService } from '../../support/push-service.ts'
import { recordedLog } from '../../support/recorded-log.ts'
import { never, samplePush } from '../../support/sample-push.ts'
import { until } from '../../support/until.ts'

const HEX = 'ab'.repeat(32)
const KEY_PEM = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

type Entries = Record<string, { push_credentials?: unknown; apns_credentials?: unknown }>

describe('providers of pushes', () => {
  let certificates: TestCertificates
  let fcm: FcmServer
  let apns: ApnsServer
  let clock: FakeClock
  let folder: string
  let log: ReturnType<typeof recordedLog>
  const gateways: PushGateway[] = []

  before(async () => {
    certificates = await makeCertificates()
  })
  beforeEach(async () => {
    fcm = await openFcmServer()
    apns = await openApnsServer(certificates)
    clock = fakeClock()
    folder = await mkdtemp(path.join(tmpdir(), 'svc-push-'))
    log = recordedLog()
  })
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close?.()
    await fcm.close()
    await apns.close()
    await rm(folder, { recursive: true })
  })

  function open(
    mobile: MobileOptions,
    entries: Entries = {},
    more: Partial<PushGatewaysOptions> = {},
  ) {
    const credentials = { getRaw: async (id: string) => entries[id] }
    const gateway = createPushGateways({ mobile, credentials, clock, log: log.log, ...more })
    gateways.push(gateway)
    return gateway
  }

  const file = async (name: string, content: string | object): Promise<string> => {
    const place = path.join(folder, name)
    await writeFile(place, typeof content === 'string' ? content : JSON.stringify(content))
    return place
  }
  const accountOf = (project: string) => ({ ...fcm.account, project_id: project })
  const projects = (): string[] => fcm.calls.map((call) => call.path.split('/')[3] ?? '')
  const apnsOptions = async () => ({
    keyFile: await file('key.p8', KEY_PEM),
    keyId: 'K',
    teamId: 'T',
    topic: 'org.default',
    host: apns.origin,
    ca: certificates.ca,
  })
  const send = (
    gateway: PushGateway,
    changes: Parameters<typeof samplePush>[0] = {},
  ): Promise<PushOutcome> => gateway.send(samplePush(changes), never())

  // notifications.md 16.2
  it('follow the platform of the device', async () => {
    const huawei = await openHuaweiServer()
    const service = await openPushService(certificates)
    const deviceOutbound = createOutbound({
      trustedNetworks: ['127.0.0.0/8'],
      ca: [certificates.ca],
      lookup: async () => ['127.0.0.1'],
    })
    const gateway = open(
      {
        fcm: { credentialsFile: await file('fcm.json', fcm.account), endpoint: fcm.origin },
        apns: await apnsOptions(),
        huawei: { getTokenUrl: `${huawei.origin}/get-token`, sendUrl: `${huawei.origin}/send` },
        webpush: { ...webPush.generateVAPIDKeys(), subject: 'mailto:a@b.example' },
        trustedNetworks: ['127.0.0.0/8'],
      },
      {},
      { deviceOutbound },
    )
    for (const platform of ['android', 'firebase', 'ios'] as const) {
      expect(await send(gateway, { platform, token: HEX })).to.deep.equal({ class: 'sent' })
    }
    expect(fcm.calls).to.have.lengthOf(3)
    expect(await send(gateway, { platform: 'apns', token: HEX })).to.deep.equal({ class: 'sent' })
    expect(apns.calls).to.have.lengthOf(1)
    expect(await send(gateway, { platform: 'huawei' })).to.deep.equal({ class: 'sent' })
    expect(huawei.calls).to.have.lengthOf(1)
    const token = service.subscribe()
    expect(await send(gateway, { platform: 'webpush', token })).to.deep.equal({ class: 'sent' })
    expect(service.received).to.have.lengthOf(1)
    await huawei.close()
    await service.close()
  })

  it('are misconfigured for a device without one, never taken for done', async () => {
    const gateway = open({})
    for (const platform of ['android', 'firebase', 'ios', 'apns', 'huawei', 'webpush'] as const) {
      expect(await send(gateway, { platform, token: HEX })).to.deep.equal({
        class: 'config',
        code: `${platform}_off`,
      })
    }
  })

  it('take APNs for ios when nothing leads to FCM and the token is one of APNs', async () => {
    const gateway = open({ apns: await apnsOptions() })
    expect(await send(gateway, { platform: 'ios', token: HEX })).to.deep.equal({ class: 'sent' })
    expect(apns.calls).to.have.lengthOf(1)
    expect(await send(gateway, { platform: 'ios', token: 'fcm:token' })).to.deep.equal({
      class: 'config',
      code: 'ios_off',
    })
  })

  // notifications.md 16.3
  describe('use the credentials', () => {
    const CONTEXT = { instance: sampleInstance({ context: 'school' }) }
    const withDefault = async (entries: Entries) =>
      open(
        {
          fcm: {
            credentialsFile: await file('fcm.json', accountOf('default')),
            endpoint: fcm.origin,
          },
        },
        entries,
      )

    it('of the app in the context, then of the app, then the default ones', async () => {
      const entries: Entries = {
        'school/drive': { push_credentials: accountOf('context') },
        drive: { push_credentials: accountOf('app') },
      }
      const gateway = await withDefault(entries)
      await send(gateway, { ...CONTEXT, slug: 'drive' })
      await send(gateway, { slug: 'drive' })
      await send(gateway, { slug: 'bank' })
      await send(gateway, { ...CONTEXT })
      expect(projects()).to.deep.equal(['context', 'app', 'default', 'default'])
    })

    it('of the next entry when one has none, or none that can be used', async () => {
      const entries: Entries = {
        'school/drive': {},
        drive: { push_credentials: { project_id: 'broken', private_key: 'secret' } },
        'school/bank': { push_credentials: null },
        bank: { push_credentials: accountOf('app') },
      }
      const gateway = await withDefault(entries)
      await send(gateway, { ...CONTEXT, slug: 'drive' })
      await send(gateway, { ...CONTEXT, slug: 'bank' })
      expect(projects()).to.deep.equal(['default', 'app'])
      expect(log.lines).to.deep.equal([
        'warn push.credentials.unusable {"entry":"drive","member":"push_credentials","fault":"malformed"}',
      ])
    })

    it('never of a name with a slash in it', async () => {
      const gateway = await withDefault({ 'a/drive': { push_credentials: accountOf('stolen') } })
      await send(gateway, { slug: 'a/drive' })
      await send(gateway, { instance: sampleInstance({ context: 'a/drive' }), slug: 'x' })
      await send(gateway, { instance: sampleInstance({ context: 'x/a' }), slug: 'drive' })
      expect(projects()).to.deep.equal(['default', 'default', 'default'])
    })

    it('as they are at that moment, and keep access tokens of those that stay', async () => {
      const entries: Entries = { drive: { push_credentials: accountOf('one') } }
      const gateway = await withDefault(entries)
      await send(gateway, { slug: 'drive' })
      entries['drive'] = { push_credentials: { ...accountOf('one') } }
      await send(gateway, { slug: 'drive' })
      expect(fcm.assertions).to.have.lengthOf(1)
      entries['drive'] = { push_credentials: accountOf('two') }
      await send(gateway, { slug: 'drive' })
      expect(fcm.assertions).to.have.lengthOf(2)
      expect(projects()).to.deep.equal(['one', 'one', 'two'])
    })

    it('of a file that was replaced, within a minute', async () => {
      const gateway = await withDefault({})
      await send(gateway)
      await file('fcm.json', accountOf('replaced'))
      clock.advance(60_000)
      await send(gateway)
      expect(projects()).to.deep.equal(['default', 'replaced'])
    })

    it('of APNs in the same order, each on its own connection', async () => {
      const entry = { key: KEY_PEM, key_id: 'APPKEY', team_id: 'T', topic: 'org.app' }
      const gateway = open(
        { apns: await apnsOptions() },
        {
          drive: { apns_credentials: entry },
          bank: { apns_credentials: { ...entry, key: 'broken' } },
        },
      )
      for (const slug of ['drive', 'bank', 'drive']) {
        await send(gateway, { platform: 'apns', token: HEX, slug })
      }
      await send(gateway, { platform: 'apns', token: HEX })
      const topics = apns.calls.map(({ headers }) => headers['apns-topic'])
      expect(topics).to.deep.equal(['org.app', 'org.default', 'org.app', 'org.default'])
      expect(apns.connections).to.equal(2)
    })
  })

  // notifications.md 18
  describe('with a credentials file that cannot be used', () => {
    const bad: readonly [string, string | undefined, string][] = [
      ['is not there', undefined, 'unreadable ENOENT'],
      ['is no JSON', '{"private_key":"secret', 'malformed'],
      ['lacks its key', '{"project_id":"x"}', 'malformed'],
    ]
    for (const [what, content, fault] of bad) {
      it(`are off with a warning at the start: it ${what}`, async () => {
        const credentialsFile =
          content === undefined ? path.join(folder, 'none.json') : await file('bad.json', content)
        const gateway = open({ fcm: { credentialsFile, endpoint: fcm.origin } })
        await until(() => log.lines.length > 0)
        expect(await send(gateway)).to.deep.equal({ class: 'config', code: 'android_off' })
        expect(log.lines).to.deep.equal([
          `warn push.credentials.unusable {"provider":"fcm","fault":"${fault}"}`,
        ])
      })
    }

    it('are on again once it is repaired, and stay on while it is away', async () => {
      const credentialsFile = await file('fcm.json', 'broken')
      const gateway = open({ fcm: { credentialsFile, endpoint: fcm.origin } })
      expect((await send(gateway)).class).to.equal('config')
      await file('fcm.json', fcm.account)
      clock.advance(31_000)
      expect((await send(gateway)).class).to.equal('sent')
      await rm(credentialsFile)
      clock.advance(31_000)
      expect((await send(gateway)).class).to.equal('sent')
    })

    it('say why a file of APNs is none', async () => {
      const keyFile = await file('key.p12', 'broken')
      const gateway = open({ apns: { keyFile, host: apns.origin } })
      const outcome = { class: 'config', code: 'apns_off' }
      expect(await send(gateway, { platform: 'apns', token: HEX })).to.deep.equal(outcome)
      expect(log.lines).to.deep.equal([
        'warn push.credentials.unusable {"provider":"apns","fault":"malformed"}',
      ])
    })
  })
})
