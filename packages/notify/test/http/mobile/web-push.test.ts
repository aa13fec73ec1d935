import { createECDH } from 'node:crypto'
import { createOutbound, type Outbound } from '@svc/platform'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import webPush from 'web-push'
import { createHuaweiGateway } from '../../../src/channels/mobile/huawei/huawei-gateway.ts'
import type { PushGateway, PushOutcome } from '../../../src/channels/mobile/push-gateway.ts'
import { createWebPushGateway } from '../../../src/channels/mobile/webpush/web-push-gateway.ts'
import type { HuaweiOptions } from '../../../src/index.ts'
import { makeCertificates, type TestCertificates } from '../../support/certificates.ts'
import type { Scripted } from '../../support/fcm-server.ts'
import { type HuaweiServer, openHuaweiServer } from '../../support/huawei-server.ts'
import { openPushService, type PushService } from '../../support/push-service.ts'
import { never, outcomeOf, samplePush } from '../../support/sample-push.ts'

const KEYS = webPush.generateVAPIDKeys()
const WEBPUSH = { ...KEYS, subject: 'mailto:operator@example.com' }

// notifications.md 23.6; RFC 8030, 8188, 8291, 8292
describe('pushes to browsers', () => {
  let certificates: TestCertificates
  let service: PushService
  let clock: FakeClock
  let outbound: Outbound
  let gateway: PushGateway

  before(async () => {
    certificates = await makeCertificates()
    outbound = createOutbound({
      trustedNetworks: ['127.0.0.0/8'],
      ca: [certificates.ca],
      lookup: async () => ['127.0.0.1'],
    })
  })
  beforeEach(async () => {
    service = await openPushService(certificates)
    clock = fakeClock()
    gateway = createWebPushGateway({ webpush: WEBPUSH, outbound, isTrusted: true, clock })
  })
  afterEach(() => service.close())

  const send = (changes: Parameters<typeof samplePush>[0] = {}): Promise<PushOutcome> =>
    gateway.send(
      samplePush({ platform: 'webpush', token: service.subscribe(), ...changes }),
      never(),
    )

  it('are read by the browser alone', async () => {
    const data = { redirectLink: 'drive/#/x', n: 1 }
    expect(await send({ body: 'Ünïcode 😀', sound: 'ding', data })).to.deep.equal({ class: 'sent' })
    const [push] = service.received
    expect(push?.path).to.equal('/send/1')
    expect(push?.plaintext).to.equal(
      '{"title":"Hello","body":"Ünïcode 😀","tag":"0123456789abcdef0123456789abcdef","notId":42,' +
        '"sound":"ding","data":{"redirectLink":"drive/#/x","n":1}}',
    )
  })

  it('have exactly these headers', async () => {
    await send({ priority: 'high', ttlMs: 60_000 })
    await send({ priority: 'normal' })
    await send()
    const [first, second, third] = service.received.map(({ headers }) => headers)
    expect(first).to.deep.include({
      ttl: '60',
      urgency: 'high',
      topic: '0123456789abcdef0123456789abcdef',
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
    })
    expect(second).to.deep.include({ ttl: '2419200', urgency: 'normal' })
    expect(third).not.to.have.property('urgency')
  })

  it('prove who sends them, to this service and for some hours', async () => {
    await send()
    const { header, key, claims = {} } = service.received[0]?.vapid ?? {}
    expect(header).to.deep.equal({ alg: 'ES256', typ: 'JWT' })
    expect(key).to.equal(KEYS.publicKey)
    const { exp, ...rest } = claims
    expect(rest).to.deep.equal({ aud: service.origin, sub: WEBPUSH.subject })
    expect(Number(exp) - clock.now() / 1000).to.be.within(43_190, 43_201)
  })

  const rows: readonly (readonly [status: number, outcome: string, headers?: object])[] = [
    [200, 'sent'],
    [202, 'sent'],
    // A dead subscription.
    [404, 'dead webpush_404'],
    [410, 'dead webpush_410'],
    [400, 'permanent webpush_400'],
    [413, 'permanent webpush_413'],
    [401, 'config webpush_401'],
    [403, 'config webpush_403'],
    [429, 'transient webpush_429 60000'],
    [429, 'transient webpush_429 3000', { 'Retry-After': '3' }],
    [503, 'transient webpush_503'],
    // It is not followed.
    [307, 'permanent webpush_307', { Location: 'https://localhost/' }],
  ]
  for (const [status, outcome, headers = {}] of rows) {
    it(`understand ${status} ${JSON.stringify(headers)} as ${outcome}`, async () => {
      service.answers.push({ status, headers: { ...headers } })
      expect(await send()).to.deep.equal(outcomeOf(outcome))
      expect(service.received).to.have.lengthOf(1)
    })
  }

  it('fill one record of 4 096 bytes and no more', async () => {
    await send({ body: 'x'.repeat(9000) })
    await send({ body: '😀'.repeat(4000), data: { a: 'é'.repeat(100) } })
    const [first, second] = service.received
    expect(first?.size).to.equal(4096)
    expect(Buffer.byteLength(first?.plaintext ?? '')).to.equal(3993)
    expect(second?.size).to.be.within(4090, 4096)
    expect(JSON.parse(second?.plaintext ?? '').body).to.match(/^(?:😀)+…$/u)
    const data = { redirectLink: 'x'.repeat(4000) }
    expect(await send({ data })).to.deep.equal({ class: 'permanent', code: 'payload_too_large' })
  })

  // security.md 101
  it('never reach inside: endpoints are what devices say', async () => {
    const guarded = createWebPushGateway({
      webpush: WEBPUSH,
      outbound: createOutbound({ lookup: async () => ['10.0.0.1'] }),
      clock,
    })
    const endpoints = [
      `${service.origin}/send/1`,
      `https://127.0.0.1:${new URL(service.origin).port}/`,
      'https://[::1]/',
      'https://169.254.169.254/latest/meta-data',
      'https://inside.example/',
    ]
    for (const endpoint of endpoints) {
      const push = samplePush({ platform: 'webpush', token: service.subscribe({ endpoint }) })
      expect(await guarded.send(push, never())).to.deep.equal({
        class: 'permanent',
        code: 'webpush_address_refused',
      })
    }
    expect(service.received).to.have.lengthOf(0)
  })

  it('need https and keys, whatever was stored', async () => {
    const point = createECDH('prime256v1').generateKeys('base64url')
    const tokens = [
      'nothing',
      '{}',
      service.subscribe({ endpoint: 'http://push.example/' }),
      service.subscribe({ keys: { p256dh: point, auth: 'AAAA' } }),
      service.subscribe({ keys: { p256dh: 'AAAA', auth: 'A'.repeat(22) } }),
    ]
    for (const token of tokens) {
      expect(await send({ token })).to.deep.equal({
        class: 'permanent',
        code: 'webpush_bad_subscription',
      })
    }
    expect(service.received).to.have.lengthOf(0)
  })

  // D99
  it('name a clock that is off by more than a minute against the service', async () => {
    clock.advance(600_000)
    service.answers.push({ status: 403 })
    expect(await send()).to.deep.equal({ class: 'config', code: 'webpush_403_clock_ahead' })
    clock.advance(-1_200_000)
    service.answers.push({ status: 401 })
    expect(await send()).to.deep.equal({ class: 'config', code: 'webpush_401_clock_behind' })
  })

  it('come later when the service is away', async () => {
    const token = service.subscribe()
    await service.close()
    expect(await send({ token })).to.deep.equal({ class: 'transient', code: 'unreachable' })
    service = await openPushService(certificates)
  })
})

const outbound = createOutbound({ trustedNetworks: ['127.0.0.0/8'] })

const says = (status: number, code?: string, more: object = {}): Scripted => ({
  status,
  json: { ...(code !== undefined && { code }), msg: 'words', ...more },
})

// notifications.md 16.6
describe('pushes over Huawei Push Kit', () => {
  let server: HuaweiServer
  let clock: FakeClock
  let gateway: PushGateway

  beforeEach(async () => {
    server = await openHuaweiServer()
    clock = fakeClock()
    gateway = open({ getTokenUrl: `${server.origin}/get-token` })
  })
  afterEach(() => server.close())

  function open(huawei: Partial<HuaweiOptions>): PushGateway {
    const options = { sendUrl: `${server.origin}/send`, ...huawei }
    return createHuaweiGateway({ huawei: options, outbound, clock })
  }

  const send = (changes: Parameters<typeof samplePush>[0] = {}): Promise<PushOutcome> =>
    gateway.send(samplePush({ platform: 'huawei', ...changes }), never())

  it('carry this message, byte for byte', async () => {
    const data = { redirectLink: 'x', n: 1, deep: { a: [true] }, notId: 'mine', title: 'mine' }
    expect(await send({ data, priority: 'high', ttlMs: 60_000 })).to.deep.equal({ class: 'sent' })
    const [call] = server.calls
    expect(call?.method).to.equal('POST')
    expect(call?.headers).to.deep.include({
      authorization: 'Bearer access-1',
      'content-type': 'application/json',
    })
    const text =
      '{"notId":42,"title":"Hello","body":"World","redirectLink":"x","n":1,"deep":{"a":[true]}}'
    expect(call?.text).to.equal(
      `{"message":{"android":{"urgency":"HIGH","ttl":"60s","data":${JSON.stringify(text)},` +
        '"notification":{"title":"Hello","body":"World","click_action":{"type":3}}},' +
        '"token":["device-token"]}}',
    )
  })

  it('say normal urgency, or none', async () => {
    await send({ priority: 'normal' })
    await send()
    const [first, second] = server.calls.map(({ text }) => JSON.parse(text).message.android)
    expect(first.urgency).to.equal('NORMAL')
    expect(second).to.have.all.keys('data', 'notification')
  })

  it("keep the access token of the operator's service for 55 minutes", async () => {
    await send()
    clock.advance(54 * 60_000)
    await send()
    clock.advance(2 * 60_000)
    await send()
    expect(server.tokenCalls.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'GET /get-token',
      'GET /get-token',
    ])
    expect(server.calls.at(-1)?.headers.authorization).to.equal('Bearer access-2')
  })

  it('get an access token of the vendor by client id and secret', async () => {
    gateway = open({ clientId: 'id', clientSecret: 's&t', tokenUrl: `${server.origin}/token` })
    await send()
    clock.advance(3_530_000)
    await send()
    clock.advance(11_000)
    await send()
    const [first] = server.tokenCalls
    expect(first?.method).to.equal('POST')
    expect(first?.headers['content-type']).to.equal('application/x-www-form-urlencoded')
    expect(first?.text).to.equal('grant_type=client_credentials&client_id=id&client_secret=s%26t')
    expect(server.tokenCalls).to.have.lengthOf(2)
  })

  const illegal = '{"success":0,"failure":1,"illegal_tokens":["device-token"]}'
  const rows: readonly (readonly [answer: Scripted, outcome: string])[] = [
    [says(200), 'sent'],
    [says(503, '80000000'), 'transient huawei_80000000'],
    [says(200, '80100000', { msg: illegal }), 'dead huawei_80100000'],
    [says(200, '80100000', { msg: { illegal_tokens: ['other'] } }), 'permanent huawei_80100000'],
    [says(200, '80300002'), 'config huawei_80300002'],
    [says(403), 'config huawei_403'],
    [says(200, '81000001'), 'transient huawei_81000001'],
    [{ ...says(429), headers: { 'Retry-After': '5' } }, 'transient huawei_429 5000'],
    [says(500), 'transient huawei_500'],
    [says(200, '80100003'), 'permanent huawei_80100003'],
    [says(400), 'permanent huawei_400'],
    [says(200, 'words'), 'permanent huawei_200'],
  ]
  for (const [answer, outcome] of rows) {
    it(`understand ${JSON.stringify(answer)} as ${outcome}`, async () => {
      server.answers.push(answer)
      expect(await send()).to.deep.equal(outcomeOf(outcome))
      expect(server.calls).to.have.lengthOf(1)
    })
  }

  for (const answer of [says(200, '80200001'), says(200, '80200003'), says(401)]) {
    it(`renew the access token once after ${JSON.stringify(answer)}`, async () => {
      server.answers.push(answer)
      expect(await send()).to.deep.equal({ class: 'sent' })
      expect(server.calls.map(({ headers }) => headers.authorization)).to.deep.equal([
        'Bearer access-1',
        'Bearer access-2',
      ])
      server.answers.push(answer, answer)
      expect(await send()).to.deep.equal({ class: 'config', code: 'huawei_unauthorized' })
      expect(server.calls).to.have.lengthOf(4)
    })
  }

  // D39
  it('believe 80300007 only after another token worked with the same credentials', async () => {
    const invalid = { class: 'permanent', code: 'huawei_80300007' }
    const all = [says(400, '80300007'), says(200, '80300007'), says(200, '80300007')]
    server.answers.push(...all.slice(0, 1))
    expect(await send({ token: 'dead' })).to.deep.equal(invalid)
    await send({ token: 'dead' })
    server.answers.push(...all.slice(1, 2))
    expect(await send({ token: 'dead' })).to.deep.equal(invalid)
    await send({ token: 'alive' })
    server.answers.push(...all.slice(2))
    expect(await send({ token: 'dead' })).to.deep.equal({ ...invalid, isTokenDead: true })
  })

  it('count as misconfigured without an access token', async () => {
    server.tokenAnswers.push({ status: 200, json: {} }, { status: 401 })
    expect(await send()).to.deep.equal({ class: 'config', code: 'huawei_token_200' })
    expect(await send()).to.deep.equal({ class: 'config', code: 'huawei_token_401' })
    server.tokenAnswers.push({ status: 502 })
    expect(await send()).to.deep.equal({ class: 'transient', code: 'huawei_token_502' })
    expect(server.calls).to.have.lengthOf(0)
  })

  it('are cut to 4 096 bytes, the data within the data too', async () => {
    await send({ body: '"é\n'.repeat(2000) })
    const text = server.calls[0]?.text ?? ''
    expect(Buffer.byteLength(text)).to.be.within(4080, 4096)
    const { android } = JSON.parse(text).message
    expect(JSON.parse(android.data).body).to.equal(android.notification.body)
    expect(android.notification.body).to.match(/…$/)
  })

  it('come later when nobody answers', async () => {
    await server.close()
    expect(await send()).to.deep.equal({ class: 'transient', code: 'unreachable' })
    server = await openHuaweiServer()
  })
})
