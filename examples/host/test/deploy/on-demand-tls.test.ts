import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect, type PeerCertificate } from 'node:tls'
import { expect } from 'chai'
import { needsProgram } from '../support/deploy/programs.ts'
import { type Proxy, startCaddyOnDemand } from '../support/deploy/proxies.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

/** Caddy makes an authority of its own for the first certificate. Milliseconds. */
const HANDSHAKE_MS = 10_000

// With the authority that Caddy has inside: none of the Internet is asked.
describe('certificates on demand behind Caddy (operation.md 7.4)', function () {
  this.timeout(60_000)
  let folder: string
  let host: TestHost
  let caddy: Proxy

  before(async function () {
    needsProgram(this, 'caddy')
    folder = await mkdtemp(path.join(tmpdir(), 'svc-on-demand-'))
    host = await startTestHost({ SVC_INTERNAL_PORT: '0' })
    const { internalPort = 0, port } = host.host
    caddy = await startCaddyOnDemand({ folder, upstream: port, ask: internalPort })
  })
  after(async () => {
    await caddy?.stop()
    await host?.stop()
    await rm(folder ?? '', { recursive: true, force: true })
  })

  /** The names that Caddy's certificate is for; the alert when it gives none. */
  function namesFor(servername: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port: caddy.httpsPort,
        servername,
        // Nobody outside knows its authority.
        rejectUnauthorized: false,
        timeout: HANDSHAKE_MS,
      })
      socket.once('secureConnect', () => {
        const { subjectaltname = '' }: PeerCertificate = socket.getPeerCertificate()
        socket.destroy()
        resolve(subjectaltname)
      })
      socket.once('timeout', () => socket.destroy(new Error('the handshake does not end')))
      socket.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code?.startsWith('ERR_SSL_') === true) resolve(error.code)
        else reject(error)
      })
    })
  }

  it('are given for a domain and for the host of an installed app', async () => {
    const { domain } = host.instance
    expect(await namesFor(domain)).to.equal(`DNS:${domain}`)
    expect(await namesFor(`home.${domain}`)).to.equal(`DNS:home.${domain}`)
  })

  it('are refused for a domain that nobody has, and for no app', async () => {
    const { domain } = host.instance
    for (const name of ['nobody.example.com', `none.${domain}`, 'localhost']) {
      expect(await namesFor(name), name).to.equal('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR')
    }
  })

  it('are given for a new owner from then on', async () => {
    const domain = 'late.example.com'
    expect(await namesFor(domain)).to.equal('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR')
    const made = await host.admin('POST', '/instances', { domain })
    expect(made.status).to.equal(201)
    expect(await namesFor(domain)).to.equal(`DNS:${domain}`)
  })
})
