import { once } from 'node:events'
import { relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { startTestHost, type TestHost } from '../support/test-host.ts'
import { testHost } from '../support/for-test.ts'

type Body = Readonly<Record<string, unknown>>

describe('the flagship app and konnectors of the host', () => {
  let host: TestHost
  let client: { readonly id: string; readonly secret: string; readonly token: string }

  async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    host = await testHost({ SVC_LIFETIMES_REALTIME_SHUTDOWN: '0ms', ...env })
    const party = relyingParty({ issuer: host.instance.origin, port: host.host.port })
    const { client_id: id, client_secret, ...rest } = await party.register()
    client = { id, secret: String(client_secret), token: String(rest.registration_access_token) }
  }

  const admin = (...given: Parameters<TestHost['adminJson']>) => host.adminJson(...given)
  const call = (method: string, path: string, token: string, body?: unknown) =>
    host.call(token, method, path, body)
  const maximalToken = async (): Promise<string> => {
    const answer = await admin('POST', `/clients/${client.id}/tokens`, { scope: '*' }, 201)
    return String(answer['access_token'])
  }

  it('certifies a client for the operator, and takes that back', async () => {
    await start()
    const certify = `/clients/${client.id}/certify`
    expect(await admin('POST', certify)).to.include({ flagship: true, certified_from_store: false })
    const token = await maximalToken()
    const path = '/data/io.svc.contacts'
    expect((await call('GET', path, token)).status).to.equal(200)
    expect(await admin('POST', certify, { withdraw: true })).to.include({ flagship: false })
    const refused = await call('GET', path, token)
    expect([refused.status, refused.json()]).to.deep.equal([401, { error: 'invalid_token' }])
    expect(await admin('POST', '/clients/none/certify', {}, 404)).to.include({
      code: 'client_not_found',
    })
    await admin('POST', certify, { withdraw: 'yes' }, 400)
  })

  it('gives the operator tokens of a client, for what its owner could allow', async () => {
    await start()
    const path = `/clients/${client.id}/tokens`
    const answer = await admin('POST', path, { scope: 'io.svc.contacts:GET' }, 201)
    expect(answer).to.include({ token_type: 'bearer', scope: 'io.svc.contacts:GET' })
    const token = String(answer['access_token'])
    expect((await call('GET', '/data/io.svc.contacts', token)).status).to.equal(200)
    expect((await call('GET', '/data/io.svc.files', token)).status).to.equal(403)
    for (const scope of ['*', 'not a scope!', 'io.svc.sessions', '']) {
      await admin('POST', path, { scope }, 400)
    }
    await admin('POST', '/clients/none/tokens', { scope: 'io.svc.contacts' }, 404)
    expect(await admin('GET', `/clients/${client.id}`)).to.deep.include({
      pending: false,
      scopes: ['io.svc.contacts:GET'],
    })
  })

  it('installs konnectors, gives out their tokens, and ends them with the konnector', async () => {
    await start()
    expect(await admin('GET', '/konnectors')).to.deep.equal({ konnectors: [] })
    const tokens = '/konnectors/demo-bank/tokens'
    await admin('POST', tokens, undefined, 404)
    await admin('POST', '/konnectors', { slug: 'none' }, 404)
    expect(await admin('POST', '/konnectors', { slug: 'demo-bank' }, 201)).to.include({
      slug: 'demo-bank',
    })
    const byOperator = String((await admin('POST', tokens, undefined, 201))['token'])
    await admin('POST', `/clients/${client.id}/certify`)
    const answer = await call('POST', '/auth/tokens/konnectors/demo-bank', await maximalToken())
    expect(answer.status).to.equal(201)
    const byApp = answer.json<string>()
    for (const token of [byOperator, byApp]) {
      expect((await call('GET', '/data/io.svc.bills', token)).status).to.equal(200)
      expect((await call('GET', '/data/io.svc.files', token)).status).to.equal(403)
    }
    await admin('DELETE', '/konnectors/demo-bank', undefined, 204)
    for (const token of [byOperator, byApp]) {
      expect((await call('GET', '/data/io.svc.bills', token)).status).to.equal(401)
    }
    await admin('DELETE', '/konnectors/demo-bank', undefined, 404)
  })

  it('lets a konnector listen as long as it is installed', async () => {
    await start()
    await admin('POST', '/konnectors', { slug: 'demo-bank' }, 201)
    const { token } = await admin('POST', '/konnectors/demo-bank/tokens', undefined, 201)
    const socket = new WebSocket(
      `ws://127.0.0.1:${host.host.port}/realtime/`,
      'io.cozy.websocket',
      { headers: { host: 'alice.example.com' } },
    )
    await once(socket, 'open')
    socket.send(JSON.stringify({ method: 'AUTH', payload: token }))
    socket.send(JSON.stringify({ method: 'SUBSCRIBE', payload: { type: 'io.svc.bills' } }))
    socket.send(JSON.stringify({ method: 'ping' }))
    const [answer] = (await once(socket, 'message')) as [Buffer]
    expect(answer.toString()).to.include('The ping method is not supported')
    const heard = once(socket, 'message')
    const event = { type: 'io.svc.bills', id: 'b', doc: { _id: 'b' } }
    await host.host.app.realtime.publish(host.instance, 'CREATED', event)
    const [message] = (await heard) as [Buffer]
    expect(JSON.parse(message.toString())).to.include({ event: 'CREATED' })
    const closed = once(socket, 'close')
    await admin('DELETE', '/konnectors/demo-bank', undefined, 204)
    await closed
  })

  it('answers attestations by its configuration, and does not start with one it cannot use', async () => {
    await start({
      SVC_FLAGSHIP_APK_PACKAGE_NAMES: 'org.example.first,org.example.second',
      SVC_FLAGSHIP_APK_CERTIFICATE_DIGESTS: Buffer.alloc(32, 7).toString('base64'),
      SVC_FLAGSHIP_APPLE_APP_IDS: 'TEAM123456.org.example.first',
    })
    const path = `/auth/clients/${client.id}`
    const asked = await call('POST', `${path}/challenge`, client.token)
    const { nonce } = asked.json<{ nonce: string }>()
    const body = { platform: 'android', challenge: nonce, attestation: 'x' }
    const answer = await call('POST', `${path}/attestation`, client.token, body)
    expect(answer.status).to.equal(400)
    expect(answer.json<Body>()['error']).to.match(/^cannot parse attestation: /)
    expect(host.log.map(([event]) => event)).to.include('client.attestation_refused')
    const wrong = { SVC_FLAGSHIP_APK_CERTIFICATE_DIGESTS: 'short' }
    const failed = await startTestHost(wrong).then(
      async (started) => started.stop().then(() => 'it started'),
      (error: unknown) => String(error),
    )
    expect(failed).to.include('options.flagship.apkCertificateDigests[0]')
  })

  it('lets every client have everything while certification is skipped, and says so', async () => {
    await start({ SVC_FLAGSHIP_SKIP_CERTIFICATION: 'on' })
    expect(host.log.map(([event]) => event)).to.include('flagship.certification_skipped')
    expect((await call('GET', '/data/io.svc.contacts', await maximalToken())).status).to.equal(200)
  })
})
