import { createECDH } from 'node:crypto'
import { createOutbound, type Outbound } from '@svc/platform'
import { defineOptions } from '@svc/platform/options'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import webPush from 'web-push'
import type { PushGateway, PushOutcome } from '../../../src/channels/mobile/push-gateway.ts'
import { webPushOptions } from '../../../src/channels/mobile/webpush/vapid.ts'
import { createWebPushGateway } from '../../../src/channels/mobile/webpush/web-push-gateway.ts'
import { makeCertificates, type TestCertificates } from '../../support/certificates.ts'
import type { Scripted } from '../../support/fcm-server.ts'
import { openPushService, type PushService } from '../../support/push-service.ts'
import { never, samplePush } from '../../support/sample-push.ts'

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

  const rows: readonly [string, Scripted, PushOutcome][] = [
    ['200', { status: 200 }, { class: 'sent' }],
    ['202', { status: 202 }, { class: 'sent' }],
    [
      '404: a dead subscription',
      { status: 404 },
      { class: 'permanent', code: 'webpush_404', isTokenDead: true },
    ],
    [
      '410: a dead subscription',
      { status: 410 },
      { class: 'permanent', code: 'webpush_410', isTokenDead: true },
    ],
    ['400', { status: 400 }, { class: 'permanent', code: 'webpush_400' }],
    ['413', { status: 413 }, { class: 'permanent', code: 'webpush_413' }],
    ['401', { status: 401 }, { class: 'config', code: 'webpush_401' }],
    ['403', { status: 403 }, { class: 'config', code: 'webpush_403' }],
    [
      '429 that does not say when',
      { status: 429 },
      { class: 'transient', code: 'webpush_429', retryAfterMs: 60_000 },
    ],
    [
      '429 that says when',
      { status: 429, headers: { 'Retry-After': '3' } },
      { class: 'transient', code: 'webpush_429', retryAfterMs: 3000 },
    ],
    ['503', { status: 503 }, { class: 'transient', code: 'webpush_503' }],
    [
      'a redirect, which is not followed',
      { status: 307, headers: { Location: 'https://localhost/' } },
      { class: 'permanent', code: 'webpush_307' },
    ],
  ]
  for (const [what, answer, outcome] of rows) {
    it(`understand ${what}`, async () => {
      service.answers.push(answer)
      expect(await send()).to.deep.equal(outcome)
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

describe('keys of web push', () => {
  it('are a pair of P-256, with a way to reach the operator', () => {
    const other = webPush.generateVAPIDKeys()
    const { settle } = defineOptions({ webpush: webPushOptions() })
    for (const subject of [WEBPUSH.subject, 'https://example.com/']) {
      const webpush = { ...WEBPUSH, subject }
      expect(settle({ webpush })).to.deep.equal({ webpush })
    }
    const bad: [Partial<typeof WEBPUSH>, RegExp][] = [
      [{ publicKey: other.publicKey }, /key pair/],
      [{ privateKey: 'AAAA' }, /key pair/],
      [{ publicKey: '!' }, /key pair/],
      ...[
        'operator@example.com',
        'http://example.com',
        'mailto:admin',
        'mailto:admin@localhost',
        'mailto:admin@push.localhost.',
        'mailto:admin@server',
        'mailto:a@b@example.com',
        'https://localhost',
        'https://server.local/',
        'https://10.0.0.1/',
        'https://[::1]/',
      ].map((subject): [Partial<typeof WEBPUSH>, RegExp] => [
        { subject },
        /subject: must be a mailto: or https: URL with a public host/,
      ]),
    ]
    for (const [changes, fault] of bad) {
      expect(() => settle({ webpush: { ...WEBPUSH, ...changes } })).to.throw(TypeError, fault)
    }
  })
})
