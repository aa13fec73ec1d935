import type { TLSSocket } from 'node:tls'
import { makeTlsCertificate, type TlsCertificate } from '@svc/testkit/attestation'
import { expect } from 'chai'
import { createOutbound, type Outbound, type OutboundError } from '../../src/index.ts'
import { serveHttps, type TestServer } from './outbound-servers.ts'

const TRUSTED = { trustedNetworks: ['127.0.0.0/8'] }
const NAME = 'provider.example'

describe('outgoing calls over TLS (connectors.md 6.1)', () => {
  let certificate: TlsCertificate
  const servers: TestServer[] = []
  before(async () => {
    certificate = await makeTlsCertificate([NAME])
  })
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })

  async function start(options: object = {}): Promise<TestServer> {
    const server = await serveHttps({ ...certificate, ...options }, (request, response) => {
      const { servername } = request.socket as TLSSocket
      response.end(JSON.stringify({ servername, host: request.headers.host }))
    })
    servers.push(server)
    return server
  }

  function outboundTo(addresses: readonly string[], ca: readonly string[]): Outbound {
    return createOutbound({ ...TRUSTED, ca, lookup: async () => addresses })
  }

  async function failure(call: Promise<unknown>): Promise<OutboundError> {
    return await call.then(
      () => expect.fail('the call was answered'),
      (error: OutboundError) => error,
    )
  }

  it('takes a certificate of an authority it was given, and asks for the name of the URL', async () => {
    const { port } = await start()
    const outbound = outboundTo(['127.0.0.1'], [certificate.ca])
    const { status, body } = await outbound.request(`https://${NAME}:${port}/`, {
      method: 'GET',
      isTrusted: true,
      headers: { Host: 'other.example' },
    })
    expect(status).to.equal(200)
    expect(JSON.parse(body.toString())).to.deep.equal({
      servername: NAME,
      host: `${NAME}:${port}`,
    })
  })

  it('shakes hands once for calls that may be repeated, and again for another name', async () => {
    const { port } = await start({ keepAliveTimeout: 60_000 })
    const outbound = outboundTo(['127.0.0.1'], [certificate.ca])
    const call = { method: 'POST', isTrusted: true, isRepeatable: true } as const
    for (let i = 0; i < 3; i += 1) await outbound.request(`https://${NAME}:${port}/`, call)
    expect(servers[0]?.connections()).to.equal(1)
    // The same addresses, and a name that the certificate does not have.
    const error = await failure(outbound.request(`https://other.example:${port}/`, call))
    expect(error).to.include({ kind: 'unreachable', isSent: false })
    expect(servers[0]?.connections()).to.equal(2)
  })

  it('refuses a certificate for another name, before a byte of the request is sent', async () => {
    const { port } = await start()
    const outbound = outboundTo(['127.0.0.1'], [certificate.ca])
    const error = await failure(
      outbound.request(`https://other.example:${port}/`, { method: 'GET', isTrusted: true }),
    )
    expect(error).to.include({
      kind: 'unreachable',
      reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
      isSent: false,
    })
  })

  it('refuses a certificate that is for a name when the URL has an address', async () => {
    const { port } = await start()
    const outbound = outboundTo(['127.0.0.1'], [certificate.ca])
    const error = await failure(
      outbound.request(`https://127.0.0.1:${port}/`, { method: 'GET', isTrusted: true }),
    )
    expect(error).to.include({ kind: 'unreachable', isSent: false })
  })

  it('refuses an unknown authority, also where the environment says not to check', async () => {
    const { port } = await start()
    const outbound = outboundTo(['127.0.0.1'], [])
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      const error = await failure(
        outbound.request(`https://${NAME}:${port}/`, {
          method: 'POST',
          isTrusted: true,
          body: 'x',
        }),
      )
      expect(error).to.include({ kind: 'unreachable', isSent: false })
      expect(error.reason).to.match(/UNABLE_TO|SELF_SIGNED/)
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
    }
  })

  it('refuses TLS before 1.2', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
    const { port } = await start(old)
    const outbound = outboundTo(['127.0.0.1'], [certificate.ca])
    const error = await failure(
      outbound.request(`https://${NAME}:${port}/`, { method: 'GET', isTrusted: true }),
    )
    expect(error).to.include({ kind: 'unreachable', isSent: false })
  })

  it('tries the next checked address when one does not answer', async () => {
    const { port } = await start()
    const outbound = outboundTo(['127.0.0.2', '127.0.0.1'], [certificate.ca])
    const { status } = await outbound.request(`https://${NAME}:${port}/`, {
      method: 'GET',
      isTrusted: true,
    })
    expect(status).to.equal(200)
  })

  it('looks a name up once, so that another answer cannot lead the connection elsewhere', async () => {
    const server = await start()
    const answers = [['127.0.0.2'], ['127.0.0.1']]
    let lookups = 0
    const outbound = createOutbound({
      ...TRUSTED,
      ca: [certificate.ca],
      lookup: async () => answers[lookups++] ?? [],
    })
    const error = await failure(
      outbound.request(`https://${NAME}:${server.port}/`, { method: 'GET', isTrusted: true }),
    )
    expect(error.isSent).to.equal(false)
    expect(lookups).to.equal(1)
    expect(server.connections()).to.equal(0)
  })
})
