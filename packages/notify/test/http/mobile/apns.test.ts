import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { constants, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import {
  type ApnsCredentials,
  type ApnsFileFacts,
  parseApnsFile,
} from '../../../src/channels/mobile/apns/apns-credentials.ts'
import { createApnsGateway } from '../../../src/channels/mobile/apns/apns-gateway.ts'
import type { PushGateway, PushOutcome } from '../../../src/channels/mobile/push-gateway.ts'
import { type ApnsScripted, type ApnsServer, openApnsServer } from '../../support/apns-server.ts'
import { issueLeaf, makeCertificates, type TestCertificates } from '../../support/certificates.ts'
import { makePkcs12 } from '../../support/pkcs12.ts'
import { never, outcomeOf, samplePush } from '../../support/sample-push.ts'
import { until } from '../../support/until.ts'

const TOKEN = 'ab'.repeat(32)
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const P8 = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }))
const FACTS: ApnsFileFacts = {
  keyId: 'KEY1234567',
  teamId: 'TEAM123456',
  topic: 'org.example.drive',
  isDevelopment: false,
}

function credentialsFrom(content: Buffer, facts: ApnsFileFacts = FACTS): ApnsCredentials {
  const read = parseApnsFile(content, facts)
  if ('fault' in read) throw new Error(read.fault)
  return read
}

const says = (status: number, reason: string, more: object = {}): ApnsScripted => ({
  status,
  json: { reason, ...more },
})

// notifications.md 16.5
describe('pushes over APNs', () => {
  let certificates: TestCertificates
  let server: ApnsServer
  let clock: FakeClock
  let gateway: PushGateway

  before(async () => {
    certificates = await makeCertificates()
  })
  beforeEach(async () => {
    server = await openApnsServer(certificates)
    clock = fakeClock()
    gateway = open()
  })
  afterEach(async () => {
    await gateway.close?.()
    await server.close()
  })

  function open(credentials: ApnsCredentials = credentialsFrom(P8), pingMs?: number): PushGateway {
    return createApnsGateway({
      credentials,
      host: server.origin,
      ca: certificates.ca,
      clock,
      ...(pingMs !== undefined && { pingMs }),
    })
  }

  const push = (changes: Parameters<typeof samplePush>[0] = {}) =>
    samplePush({ platform: 'apns', token: TOKEN, ...changes })
  const send = (changes: Parameters<typeof samplePush>[0] = {}): Promise<PushOutcome> =>
    gateway.send(push(changes), never())

  it('have exactly these headers', async () => {
    expect(await send({ ttlMs: 90_000 })).to.deep.equal({ class: 'sent' })
    const [call] = server.calls
    // Without the symbol that Node adds.
    const named = Object.fromEntries(Object.entries(call?.headers ?? {}))
    const { authorization = '', ...headers } = named
    const expiration = Math.floor(clock.now() / 1000) + 90
    expect(Number(headers['apns-expiration'])).to.be.within(expiration - 2, expiration)
    expect({ ...headers, 'apns-expiration': '' }).to.deep.equal({
      ':method': 'POST',
      ':path': `/3/device/${TOKEN}`,
      ':scheme': 'https',
      ':authority': server.origin.slice('https://'.length),
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-collapse-id': '0123456789abcdef0123456789abcdef',
      'apns-topic': 'org.example.drive',
      'apns-id': '01234567-89ab-8cde-8f01-23456789abcd',
      'apns-expiration': '',
      'content-type': 'application/json; charset=utf-8',
    })
    const token = String(authorization).slice('bearer '.length)
    expect(decodeProtectedHeader(token)).to.deep.equal({ alg: 'ES256', kid: 'KEY1234567' })
    const { payload } = await jwtVerify(token, publicKey, {
      algorithms: ['ES256'],
    })
    const { iat = 0, ...claims } = payload
    expect(claims).to.deep.equal({ iss: 'TEAM123456' })
    expect(Math.abs(iat - clock.now() / 1000)).to.be.lessThan(5)
  })

  it('carry this payload, byte for byte', async () => {
    const data = { redirectLink: 'drive/#/x', n: 1, aps: { badge: 9 }, deep: { a: [true] } }
    await send({ title: 'Titre', body: 'Texte', sound: 'ding', data })
    expect(server.calls[0]?.text).to.equal(
      '{"aps":{"alert":{"title":"Titre","body":"Texte"},"sound":"ding"},' +
        '"redirectLink":"drive/#/x","n":1,"deep":{"a":[true]}}',
    )
  })

  it('have no sound and no end that was not given, and normal priority when asked', async () => {
    await send({ priority: 'normal' })
    const [call] = server.calls
    expect(call?.text).to.equal('{"aps":{"alert":{"title":"Hello","body":"World"}}}')
    expect(call?.headers).not.to.have.property('apns-expiration')
    expect(call?.headers['apns-priority']).to.equal('5')
    await send({ priority: 'high' })
    expect(server.calls[1]?.headers['apns-priority']).to.equal('10')
  })

  it('share one connection and one provider token', async () => {
    await Promise.all(Array.from({ length: 20 }, () => send()))
    expect(server.connections).to.equal(1)
    expect(new Set(server.calls.map(({ headers }) => headers.authorization))).to.have.lengthOf(1)
  })

  it('sign a new provider token between 20 and 60 minutes after the last', async () => {
    const tokenAfter = async (minutes: number): Promise<string | undefined> => {
      clock.advance(minutes * 60_000)
      await send()
      return server.calls.at(-1)?.headers.authorization
    }
    const first = await tokenAfter(0)
    expect(await tokenAfter(20)).to.equal(first)
    expect(await tokenAfter(39)).not.to.equal(first)
  })

  const rows: readonly (readonly [number, reason: string, outcome: string, more?: object])[] = [
    [410, 'Unregistered', 'dead apns_unregistered', { timestamp: 2000 }],
    [410, 'ExpiredToken', 'dead apns_expired_token', { timestamp: 2000 }],
    [410, 'Unregistered', 'dead apns_unregistered'],
    // Of a time before the device gave its token again.
    [410, 'Unregistered', 'permanent apns_unregistered', { timestamp: 999 }],
    [410, 'Other', 'permanent apns_other'],
    // Mostly the wrong environment.
    [400, 'BadDeviceToken', 'permanent apns_bad_device_token'],
    [400, 'DeviceTokenNotForTopic', 'config apns_device_token_not_for_topic'],
    [400, 'BadTopic', 'config apns_bad_topic'],
    [400, 'MissingTopic', 'config apns_missing_topic'],
    [400, 'TopicDisallowed', 'config apns_topic_disallowed'],
    [400, 'BadPriority', 'permanent apns_bad_priority'],
    [404, 'BadPath', 'permanent apns_bad_path'],
    [405, 'MethodNotAllowed', 'permanent apns_method_not_allowed'],
    [413, 'PayloadTooLarge', 'permanent apns_payload_too_large'],
    [403, 'InvalidProviderToken', 'config apns_invalid_provider_token'],
    [429, 'TooManyRequests', 'transient apns_too_many_requests'],
    [500, 'InternalServerError', 'transient apns_internal_server_error'],
    [503, 'Shutdown', 'transient apns_shutdown'],
    [400, 'ab'.repeat(40), 'permanent apns_400'],
  ]
  for (const [status, reason, outcome, more = {}] of rows) {
    it(`understand ${status} ${reason} ${JSON.stringify(more)} as ${outcome}`, async () => {
      server.answers.push(says(status, reason, more))
      expect(await send({ tokenSince: 1000 })).to.deep.equal(outcomeOf(outcome))
      expect(server.calls).to.have.lengthOf(1)
    })
  }

  it('understand an answer without a reason, and one that says when', async () => {
    const later = { ...says(429, 'TooManyRequests'), headers: { 'retry-after': '9' } }
    server.answers.push({ status: 403 }, later)
    expect(await send()).to.deep.equal({ class: 'config', code: 'apns_403' })
    const outcome = outcomeOf('transient apns_too_many_requests 9000')
    expect(await send()).to.deep.equal(outcome)
  })

  it('sign again once when the provider token has expired', async () => {
    server.answers.push(says(403, 'ExpiredProviderToken'))
    expect(await send()).to.deep.equal({ class: 'sent' })
    const [first, second] = server.calls.map(({ headers }) => headers.authorization)
    expect(second).not.to.equal(first)
    server.answers.push(says(403, 'ExpiredProviderToken'), says(403, 'ExpiredProviderToken'))
    expect(await send()).to.deep.equal({ class: 'config', code: 'apns_expired_provider_token' })
    expect(server.calls).to.have.lengthOf(4)
  })

  it('go over a new connection after GOAWAY, which ends none under way', async () => {
    let held: ServerHttp2Stream | undefined
    server.answers.push((stream) => {
      held = stream
    })
    const first = send()
    await until(() => held !== undefined)
    held?.session?.goaway(constants.NGHTTP2_NO_ERROR)
    await until(async () => {
      await send()
      return server.connections === 2
    })
    held?.respond({ ':status': 200 })
    held?.end()
    expect(await first).to.deep.equal({ class: 'sent' })
  })

  it('come later when GOAWAY or the network ends them', async () => {
    const endings: ((stream: ServerHttp2Stream) => void)[] = [
      (stream) => stream.session?.goaway(constants.NGHTTP2_INTERNAL_ERROR, 0),
      (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
      (stream) => stream.session?.destroy(),
    ]
    for (const ending of endings) {
      server.answers.push(ending)
      expect(await send()).to.deep.equal({ class: 'transient', code: 'unreachable' })
      expect(await send()).to.deep.equal({ class: 'sent' })
    }
  })

  it('come later when nobody listens, or nobody who is trusted', async () => {
    const stranger = createApnsGateway({
      credentials: credentialsFrom(P8),
      host: server.origin,
      clock,
    })
    const unreachable = { class: 'transient', code: 'unreachable' }
    expect(await stranger.send(push(), never())).to.deep.equal(unreachable)
    await stranger.close?.()
    const nowhere = createApnsGateway({
      credentials: credentialsFrom(P8),
      host: 'https://localhost:1',
      clock,
    })
    expect(await nowhere.send(push(), never())).to.deep.equal(unreachable)
    await nowhere.close?.()
    expect(server.calls).to.have.lengthOf(0)
  })

  it('do not wait for ever for a connection, and open another then', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => {
      sockets.push(socket)
    }).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo // A TCP server's.
    const waiting = createApnsGateway({
      credentials: credentialsFrom(P8),
      host: `https://localhost:${port}`,
      clock,
      connectMs: 50,
    })
    for (const count of [1, 2]) {
      const outcome = await waiting.send(push(), never())
      expect(outcome).to.deep.equal({ class: 'transient', code: 'unreachable' })
      await until(() => sockets.length === count)
    }
    await waiting.close?.()
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  it('end with the attempt when no answer comes', async () => {
    server.answers.push(() => undefined)
    const attempt = new AbortController()
    const sending = gateway.send(push(), attempt.signal)
    await until(() => server.answers.length === 0)
    attempt.abort()
    const outcome = await sending
    expect(outcome).to.deep.equal({ class: 'transient', code: 'timeout' })
    expect(await send()).to.deep.equal({ class: 'sent' })
  })

  it('refuse answers that do not end', async () => {
    server.answers.push((stream) => {
      stream.respond({ ':status': 400 })
      stream.write(Buffer.alloc(70_000))
    })
    expect(await send()).to.deep.equal({ class: 'transient', code: 'unreachable' })
  })

  it('keep their connection alive by pings', async () => {
    await gateway.close?.()
    gateway = open(credentialsFrom(P8), 20)
    await send()
    await until(() => server.pings >= 2)
    expect(server.connections).to.equal(1)
  })

  it('never go to a path that a token makes up', async () => {
    for (const token of ['../../x', `${TOKEN}/..`, 'xyz', '']) {
      expect(await send({ token })).to.deep.equal({ class: 'permanent', code: 'apns_bad_token' })
    }
    expect(server.calls).to.have.lengthOf(0)
  })

  it('are cut to 4 096 bytes', async () => {
    await send({ body: '😀'.repeat(3000), data: { id: 'x' } })
    const text = server.calls[0]?.text ?? ''
    expect(Buffer.byteLength(text)).to.be.within(4090, 4096)
    expect(JSON.parse(text).aps.alert.body).to.match(/^(?:😀)+…$/u)
  })

  describe('with a certificate', () => {
    async function sendWith(content: Buffer, facts: Partial<ApnsFileFacts>) {
      await server.close()
      server = await openApnsServer(certificates, { asksForCertificate: true })
      await gateway.close?.()
      gateway = open(credentialsFrom(content, { isDevelopment: false, ...facts }))
      expect(await send()).to.deep.equal({ class: 'sent' })
      return server.calls[0]
    }

    it('show that of a .pem file, and no token', async () => {
      const { cert, key } = await issueLeaf(certificates.authority, 'CN=Apple Push Services')
      const call = await sendWith(Buffer.from(cert + key), {})
      expect(call?.peer).to.equal('Apple Push Services')
      expect(call?.headers).not.to.have.any.keys('authorization', 'apns-topic')
      const faultIn = (text: string) => parseApnsFile(Buffer.from(text), { isDevelopment: false })
      expect(faultIn(cert)).to.deep.equal({ fault: 'incomplete' })
      expect(faultIn(cert + key.slice(0, 60))).to.deep.equal({ fault: 'malformed' })
    })

    it('show that of a .p12 file, opened with its password', async () => {
      const leaf = await issueLeaf(certificates.authority, 'CN=Apple Push Services')
      const content = await makePkcs12(leaf, 'password')
      const facts = { password: 'password', topic: 'org.example.drive' }
      const call = await sendWith(content, facts)
      expect(call?.peer).to.equal('Apple Push Services')
      expect(call?.headers['apns-topic']).to.equal('org.example.drive')
      for (const wrong of [{ password: 'wrong' }, {}]) {
        expect(parseApnsFile(content, { isDevelopment: false, ...wrong })).to.deep.equal({
          fault: 'wrong_password',
        })
      }
    })

    it('say of an old .p12 file that its encryption is the trouble', async () => {
      const leaf = await issueLeaf(certificates.authority, 'CN=Apple Push Services')
      const content = await makePkcs12(leaf, 'password', ['-legacy'])
      expect(parseApnsFile(content, { isDevelopment: false, password: 'password' })).to.deep.equal({
        fault: 'unsupported_encryption',
      })
    })
  })

  it('need a P-256 key with its names, or a certificate', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const pem = Buffer.from(rsa.export({ type: 'pkcs8', format: 'pem' }))
    const { keyId: _, ...nameless } = FACTS
    expect(parseApnsFile(P8, nameless)).to.deep.equal({ fault: 'incomplete' })
    expect(parseApnsFile(pem, FACTS)).to.deep.equal({ fault: 'malformed' })
    expect(parseApnsFile(Buffer.from('-----BEGIN x'), FACTS)).to.deep.equal({ fault: 'malformed' })
    expect(parseApnsFile(Buffer.from('nothing'), FACTS)).to.deep.equal({ fault: 'malformed' })
  })
})
