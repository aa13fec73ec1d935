import { createOutbound } from '@svc/platform'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { createHuaweiGateway } from '../../../src/channels/mobile/huawei/huawei-gateway.ts'
import type { PushGateway, PushOutcome } from '../../../src/channels/mobile/push-gateway.ts'
import type { HuaweiOptions } from '../../../src/index.ts'
import type { Scripted } from '../../support/fcm-server.ts'
import { type HuaweiServer, openHuaweiServer } from '../../support/huawei-server.ts'
import { never, samplePush } from '../../support/sample-push.ts'

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

  const rows: readonly [string, Scripted, PushOutcome][] = [
    ['200 without a code', says(200), { class: 'sent' }],
    [
      '80000000 of a server in trouble',
      says(503, '80000000'),
      { class: 'transient', code: 'huawei_80000000' },
    ],
    [
      '80100000 with our token among the illegal ones',
      says(200, '80100000', {
        msg: '{"success":0,"failure":1,"illegal_tokens":["device-token"]}',
      }),
      { class: 'permanent', code: 'huawei_80100000', isTokenDead: true },
    ],
    [
      '80100000 with another token among them',
      says(200, '80100000', { msg: { illegal_tokens: ['other'] } }),
      { class: 'permanent', code: 'huawei_80100000' },
    ],
    ['80300002', says(200, '80300002'), { class: 'config', code: 'huawei_80300002' }],
    ['403', says(403), { class: 'config', code: 'huawei_403' }],
    ['81000001', says(200, '81000001'), { class: 'transient', code: 'huawei_81000001' }],
    [
      '429 that says when',
      { ...says(429), headers: { 'Retry-After': '5' } },
      { class: 'transient', code: 'huawei_429', retryAfterMs: 5000 },
    ],
    ['500', says(500), { class: 'transient', code: 'huawei_500' }],
    ['another code', says(200, '80100003'), { class: 'permanent', code: 'huawei_80100003' }],
    ['another status', says(400), { class: 'permanent', code: 'huawei_400' }],
    ['a code that is none', says(200, 'words'), { class: 'permanent', code: 'huawei_200' }],
  ]
  for (const [what, answer, outcome] of rows) {
    it(`understand ${what}`, async () => {
      server.answers.push(answer)
      expect(await send()).to.deep.equal(outcome)
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
