import { createOutbound, type Outbound } from '@svc/platform'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { createFcmGateway } from '../../../src/channels/mobile/fcm/fcm-gateway.ts'
import { parseServiceAccount } from '../../../src/channels/mobile/fcm/service-account.ts'
import type { PushGateway, PushOutcome } from '../../../src/channels/mobile/push-gateway.ts'
import { type FcmServer, openFcmServer, type Scripted } from '../../support/fcm-server.ts'
import { recordedLog } from '../../support/recorded-log.ts'
import { never, outcomeOf, samplePush } from '../../support/sample-push.ts'

const outbound: Outbound = createOutbound({ trustedNetworks: ['127.0.0.0/8'] })

const errorAnswer = (status: number, errorCode?: string, headers = {}): Scripted => ({
  status,
  headers,
  json: {
    error: {
      code: status,
      details:
        errorCode === undefined
          ? []
          : [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }],
    },
  },
})

const violation = (field: string): Scripted => ({
  status: 400,
  json: {
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
          errorCode: 'INVALID_ARGUMENT',
        },
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field, description: 'Invalid value' }],
        },
      ],
    },
  },
})

// notifications.md 16.4
describe('pushes over FCM', () => {
  let server: FcmServer
  let clock: FakeClock
  let gateway: PushGateway
  const log = recordedLog()

  beforeEach(async () => {
    server = await openFcmServer()
    clock = fakeClock()
    log.lines.length = 0
    const account = parseServiceAccount(server.account)
    if (account === undefined) throw new Error('the account is fine')
    gateway = createFcmGateway({ account, endpoint: server.origin, outbound, clock, log: log.log })
  })
  afterEach(() => server.close())

  const send = (changes: Parameters<typeof samplePush>[0] = {}): Promise<PushOutcome> =>
    gateway.send(samplePush(changes), never())

  it('go to the project, authorized by an assertion of its account', async () => {
    expect(await send()).to.deep.equal({ class: 'sent' })
    const [call] = server.calls
    expect(call?.path).to.equal('/v1/projects/project-1/messages:send')
    expect(call?.headers.authorization).to.equal('Bearer access-1')
    expect(call?.headers['content-type']).to.equal('application/json')
    const [assertion] = server.assertions
    expect(assertion?.header).to.deep.equal({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
    const { iat = 0, exp = 0, ...claims } = assertion?.claims ?? {}
    expect(claims).to.deep.equal({
      iss: 'push@project-1.example',
      aud: `${server.origin}/token`,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
    })
    expect(exp - iat).to.equal(3600)
    expect(Math.abs(iat - clock.now() / 1000)).to.be.lessThan(5)
  })

  it('carry this message, byte for byte', async () => {
    await send({
      title: 'Le “titre”',
      body: 'Ligne 1\nLigne 2',
      sound: 'ding',
      priority: 'high',
      isCollapsible: true,
      ttlMs: 90_500,
      data: { redirectLink: 'drive/#/x', n: 1, ok: true, list: [1, { a: null }], none: null },
    })
    expect(server.calls[0]?.text).to.equal(
      '{"message":{"token":"device-token",' +
        '"notification":{"title":"Le “titre”","body":"Ligne 1\\nLigne 2"},' +
        '"data":{"notId":"42","title":"Le “titre”","body":"Ligne 1\\nLigne 2",' +
        '"redirectLink":"drive/#/x","n":"1","ok":"true","list":"[1,{\\"a\\":null}]"},' +
        '"android":{"priority":"high","collapse_key":"0123456789abcdef0123456789abcdef","ttl":"90s",' +
        '"notification":{"sound":"ding","tag":"0123456789abcdef0123456789abcdef"}}}}',
    )
  })

  it('leave out what was not given; the body stays in the data', async () => {
    await send({ body: '' })
    expect(server.calls[0]?.message).to.deep.equal({
      token: 'device-token',
      notification: { title: 'Hello' },
      data: { notId: '42', title: 'Hello', body: '' },
      android: { notification: { tag: '0123456789abcdef0123456789abcdef' } },
    })
  })

  it('say normal priority, and keep a push 28 days at most', async () => {
    await send({ priority: 'normal', ttlMs: 40 * 86_400_000 })
    expect(server.calls[0]?.message['android']).to.deep.include({
      priority: 'normal',
      ttl: '2419200s',
    })
  })

  it('tell APNs behind it what it needs, for ios alone', async () => {
    await send({ platform: 'ios', priority: 'normal', sound: 'ding' })
    await send({ platform: 'ios' })
    await send({ platform: 'firebase' })
    const [first, second, third] = server.calls.map(({ message }) => message['apns'])
    const collapse = { 'apns-collapse-id': '0123456789abcdef0123456789abcdef' }
    expect(first).to.deep.equal({
      headers: { 'apns-priority': '5', ...collapse },
      payload: { aps: { sound: 'ding' } },
    })
    expect(second).to.deep.equal({ headers: { 'apns-priority': '10', ...collapse } })
    expect(third).to.equal(undefined)
  })

  it('drop data that FCM refuses, with a warning, and never let it stand for ours', async () => {
    const data = {
      from: 'x',
      message_type: 'x',
      'google.a': 'x',
      'gcm.b': 'x',
      googled: 'kept',
      gcmx: 'kept',
      notId: 'mine',
      title: 'mine',
      body: 'mine',
    }
    await send({ data })
    expect(server.calls[0]?.message['data']).to.deep.equal({
      notId: '42',
      title: 'Hello',
      body: 'World',
      googled: 'kept',
      gcmx: 'kept',
    })
    expect(log.lines).to.deep.equal([
      'warn push.fcm.data_dropped {"domain":"alice.example.com","count":4}',
    ])
  })

  it('use an access token until a minute before its end', async () => {
    await send()
    clock.advance(3_539_000 - 60_000)
    await send()
    expect(server.assertions).to.have.lengthOf(1)
    clock.advance(62_000)
    await send()
    expect(server.calls.map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer access-1',
      'Bearer access-1',
      'Bearer access-2',
    ])
  })

  it('fetch one access token for all who wait for it', async () => {
    let open = (): void => undefined
    server.tokenGate = new Promise((resolve) => {
      open = resolve
    })
    const sending = Array.from({ length: 20 }, () => send())
    open()
    expect(await Promise.all(sending)).to.deep.equal(Array(20).fill({ class: 'sent' }))
    expect(server.assertions).to.have.lengthOf(1)
  })

  it('do not wait for an access token longer than the attempt may take', async () => {
    server.tokenGate = new Promise(() => undefined)
    const outcome = await gateway.send(samplePush(), AbortSignal.timeout(50))
    expect(outcome).to.deep.equal({ class: 'transient', code: 'timeout' })
  })

  const rows: readonly (readonly [
    status: number,
    code: string | undefined,
    outcome: string,
    retryAfter?: string,
  ])[] = [
    [404, 'UNREGISTERED', 'dead fcm_unregistered'],
    [404, undefined, 'permanent fcm_404'],
    [400, 'INVALID_ARGUMENT', 'permanent fcm_invalid_argument'],
    [400, 'UNREGISTERED', 'dead fcm_unregistered'],
    // Its code counts before the status.
    [503, 'SENDER_ID_MISMATCH', 'config fcm_sender_id_mismatch'],
    [400, 'UNAVAILABLE', 'transient fcm_unavailable'],
    // Wrong credentials, no dead token.
    [403, 'SENDER_ID_MISMATCH', 'config fcm_sender_id_mismatch'],
    [403, 'PERMISSION_DENIED', 'config fcm_permission_denied'],
    [429, 'QUOTA_EXCEEDED', 'transient fcm_quota_exceeded 60000'],
    [429, 'QUOTA_EXCEEDED', 'transient fcm_quota_exceeded 120000', '120'],
    [500, 'INTERNAL', 'transient fcm_internal'],
    [502, undefined, 'transient fcm_502'],
    [503, 'UNAVAILABLE', 'transient fcm_unavailable 7000', '7'],
    [504, undefined, 'transient fcm_504'],
    [400, 'secret device-token', 'permanent fcm_400'],
  ]
  for (const [status, code, outcome, retryAfter] of rows) {
    it(`understand ${status} ${code} ${retryAfter ?? ''} as ${outcome}`, async () => {
      const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
      server.answers.push(errorAnswer(status, code, headers))
      expect(await send()).to.deep.equal(outcomeOf(outcome))
      expect(server.calls).to.have.lengthOf(1)
    })
  }

  it('understand a token that no device has, a redirect, and what is no answer of FCM', async () => {
    const elsewhere = { Location: 'https://elsewhere.example/' }
    const answers: readonly (readonly [Scripted, outcome: string])[] = [
      [violation('message.token'), 'dead fcm_invalid_argument'],
      [violation('message.data'), 'permanent fcm_invalid_argument'],
      [{ status: 302, headers: elsewhere }, 'config fcm_302'],
      [{ status: 200, json: '<html>' }, 'config fcm_malformed'],
    ]
    for (const [answer, outcome] of answers) {
      server.answers.push(answer)
      expect(await send()).to.deep.equal(outcomeOf(outcome))
    }
    expect(server.calls).to.have.lengthOf(answers.length)
  })

  it('renew a refused access token once', async () => {
    server.answers.push(errorAnswer(401))
    expect(await send()).to.deep.equal({ class: 'sent' })
    expect(server.calls.map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer access-1',
      'Bearer access-2',
    ])
  })

  it('keep the access token when the key of APNs behind FCM is refused', async () => {
    server.answers.push(errorAnswer(401, 'THIRD_PARTY_AUTH_ERROR'))
    const refused = { class: 'config', code: 'fcm_third_party_auth_error' }
    expect(await send({ platform: 'ios' })).to.deep.equal(refused)
    expect(await send()).to.deep.equal({ class: 'sent' })
    expect(server.calls.map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer access-1',
      'Bearer access-1',
    ])
    expect(server.assertions).to.have.lengthOf(1)
  })

  it('count as misconfigured when the renewed one is refused, too', async () => {
    server.answers.push(errorAnswer(401), errorAnswer(401))
    expect(await send()).to.deep.equal({ class: 'config', code: 'fcm_401' })
    expect(server.calls).to.have.lengthOf(2)
  })

  it('count as misconfigured when the account gets no access token', async () => {
    server.tokenAnswers.push({ status: 400, json: { error: 'invalid_grant' } })
    expect(await send()).to.deep.equal({ class: 'config', code: 'fcm_token_400' })
    server.tokenAnswers.push({ status: 200, json: { access_token: 5 } })
    expect(await send()).to.deep.equal({ class: 'config', code: 'fcm_token_200' })
    expect(server.calls).to.have.lengthOf(0)
  })

  // D99
  it('name a clock that is off by more than a minute against the provider', async () => {
    for (const [minutes, code] of [
      [10, 'fcm_token_400_clock_ahead'],
      [-10, 'fcm_token_400_clock_behind'],
      [0.5, 'fcm_token_400'],
    ] as const) {
      clock.set(Date.now() + minutes * 60_000)
      server.tokenAnswers.push({ status: 400, json: { error: 'invalid_grant' } })
      expect(await send()).to.deep.equal({ class: 'config', code })
    }
  })

  it('come later when the token endpoint is out of order', async () => {
    server.tokenAnswers.push({ status: 503, headers: { 'Retry-After': '3' } })
    const outcome = { class: 'transient', code: 'fcm_token_503', retryAfterMs: 3000 }
    expect(await send()).to.deep.equal(outcome)
    expect(await send()).to.deep.equal({ class: 'sent' })
  })

  it('come later when nobody answers', async () => {
    await send()
    await server.close()
    expect(await send()).to.deep.equal({ class: 'transient', code: 'unreachable' })
    server = await openFcmServer()
  })

  it('are cut to 4 096 bytes', async () => {
    await send({ title: 'T', body: '€'.repeat(5000), data: { big: 'x'.repeat(300) } })
    const { notification, data } = server.calls[0]?.message ?? {}
    expect(Buffer.byteLength(JSON.stringify({ notification, data }))).to.be.within(4080, 4096)
    expect((data as { body: string }).body).to.match(/^€+…$/)
    expect((data as { big: string }).big).to.have.lengthOf(300)
  })

  it('end when they cannot be cut to that', async () => {
    const data = { redirectLink: 'x'.repeat(5000) }
    expect(await send({ data })).to.deep.equal({ class: 'permanent', code: 'payload_too_large' })
    expect(server.calls).to.have.lengthOf(0)
  })
})

describe('service accounts', () => {
  it('need a project, a name, and an RSA key', async () => {
    const server = await openFcmServer()
    await server.close()
    const { account } = server
    expect(parseServiceAccount(account)?.projectId).to.equal('project-1')
    const { token_uri: _, ...bare } = account
    expect(parseServiceAccount(bare)?.tokenUri).to.equal('https://oauth2.googleapis.com/token')
    const bad: unknown[] = [
      undefined,
      null,
      'text',
      {},
      { ...account, project_id: '../x' },
      { ...account, private_key: 'PEM' },
      { ...account, client_email: 5 },
      { ...account, token_uri: 'nowhere' },
    ]
    for (const value of bad) expect(parseServiceAccount(value)).to.equal(undefined)
  })
})
