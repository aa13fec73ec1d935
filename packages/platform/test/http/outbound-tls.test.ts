import type { TLSSocket } from 'node:tls'
import { makeTlsCertificate, type TlsCertificate } from '@svc/testkit/attestation'
import { expect } from 'chai'
import type { Outbound, OutboundError } from '../../src/index.ts'
import { faultOf } from '../support/fault-of.ts'
import { GET, serveHttps, type TestServer, trusting } from './outbound-servers.ts'

const NAME = 'provider.example'

describe('outgoing calls over TLS (connectors.md 6.1)', () => {
  let certificate: TlsCertificate
  before(async () => {
    certificate = await makeTlsCertificate([NAME])
  })
  async function start(options: object = {}): Promise<TestServer> {
    return serveHttps({ ...certificate, ...options }, (request, response) => {
      const { servername } = request.socket as TLSSocket
      response.end(JSON.stringify({ servername, host: request.headers.host }))
    })
  }

  function outboundTo(addresses: readonly string[] = ['127.0.0.1']): Outbound {
    return trusting({ ca: [certificate.ca], lookup: async () => addresses })
  }
  const failure = faultOf<OutboundError>
  const get = (outbound: Outbound, port: number, name = NAME) =>
    outbound.request(`https://${name}:${port}/`, GET)

  it('takes a certificate of an authority it was given, and asks for the name of the URL', async () => {
    const { port } = await start()
    const outbound = outboundTo()
    const { status, body } = await outbound.request(`https://${NAME}:${port}/`, {
      ...GET,
      headers: { Host: 'other.example' },
    })
    expect(status).to.equal(200)
    expect(JSON.parse(body.toString())).to.deep.equal({
      servername: NAME,
      host: `${NAME}:${port}`,
    })
  })

  it('shakes hands once for calls that may be repeated, and again for another name', async () => {
    const server = await start({ keepAliveTimeout: 60_000 })
    const { port } = server
    const outbound = outboundTo()
    const call = { method: 'POST', isTrusted: true, isRepeatable: true } as const
    for (let i = 0; i < 3; i += 1) await outbound.request(`https://${NAME}:${port}/`, call)
    expect(server.connections()).to.equal(1)
    // The same addresses, and a name that the certificate does not have.
    const error = await failure(outbound.request(`https://other.example:${port}/`, call))
    expect(error).to.include({ kind: 'unreachable', isSent: false })
    expect(server.connections()).to.equal(2)
  })

  it('refuses a certificate for another name, before a byte of the request is sent', async () => {
    const { port } = await start()
    const error = await failure(get(outboundTo(), port, 'other.example'))
    expect(error).to.include({
      kind: 'unreachable',
      reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
      isSent: false,
    })
  })

  it('refuses a certificate that is for a name when the URL has an address', async () => {
    const { port } = await start()
    const error = await failure(get(outboundTo(), port, '127.0.0.1'))
    expect(error).to.include({ kind: 'unreachable', isSent: false })
  })

  it('refuses an unknown authority, also where the environment says not to check', async () => {
    const { port } = await start()
    const outbound = trusting({ lookup: async () => ['127.0.0.1'] })
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      const error = await failure(
        outbound.request(`https://${NAME}:${port}/`, { ...GET, method: 'POST', body: 'x' }),
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
    const error = await failure(get(outboundTo(), port))
    expect(error).to.include({ kind: 'unreachable', isSent: false })
  })

  it('tries the next checked address when one does not answer', async () => {
    const { port } = await start()
    const { status } = await get(outboundTo(['127.0.0.2', '127.0.0.1']), port)
    expect(status).to.equal(200)
  })

  it('looks a name up once, so that another answer cannot lead the connection elsewhere', async () => {
    const server = await start()
    const answers = [['127.0.0.2'], ['127.0.0.1']]
    let lookups = 0
    const lookup = async () => answers[lookups++] ?? []
    const outbound = trusting({ ca: [certificate.ca], lookup })
    const error = await failure(get(outbound, server.port))
    expect(error.isSent).to.equal(false)
    expect(lookups).to.equal(1)
    expect(server.connections()).to.equal(0)
  })
})
