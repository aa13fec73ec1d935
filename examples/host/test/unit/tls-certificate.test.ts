import { once } from 'node:events'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import {
  type CertificateFiles,
  followCertificate,
  readCertificate,
} from '../../src/http/tls-certificate.ts'
import { suiteFolder } from '../support/for-test.ts'

const given = (name: string): string =>
  fileURLToPath(new URL(`../support/tls/test-only-${name}.pem`, import.meta.url))

describe('the certificate of the listener', () => {
  const folder = suiteFolder()
  let files: { readonly cert: string; readonly key: string }
  let server: https.Server
  let certificate: CertificateFiles
  const log: string[] = []

  before(async () => {
    files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') }
  })
  beforeEach(async () => {
    copyFileSync(given('cert'), files.cert)
    copyFileSync(given('key'), files.key)
    log.length = 0
    server = https.createServer(readCertificate(files), (_request, response) => response.end())
    const note = (event: string, _fields?: object): void => void log.push(event)
    certificate = followCertificate(server, files, { info: note, error: note }, 20)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    certificate.close()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })

  /** Whom a new handshake meets. */
  async function subject(): Promise<string | undefined> {
    const { port } = server.address() as AddressInfo // it listens on a port
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { subject: of } = socket.getPeerCertificate()
    socket.destroy()
    return String(of.CN)
  }

  /** Another pair in the place of the present one. */
  function renew(): void {
    copyFileSync(given('renewed-cert'), files.cert)
    copyFileSync(given('renewed-key'), files.key)
  }

  it('is taken again when its files change', async () => {
    expect(await subject()).to.equal('alice.example.com')
    renew()
    const deadline = performance.now() + 8000
    while ((await subject()) !== 'new.example') {
      if (performance.now() > deadline) throw new Error('it never changed')
    }
    expect(log.at(-1)).to.equal('tls.reloaded')
  })

  it('stays when the new pair is no good, and the log says so', async () => {
    certificate.close()
    writeFileSync(files.cert, readFileSync(files.cert, 'utf8').slice(0, 200))
    certificate.reload()
    expect(log).to.deep.equal(['tls.reload_failed'])
    expect(await subject()).to.equal('alice.example.com')
    renew()
    copyFileSync(given('cert'), files.cert)
    certificate.reload()
    expect(log).to.deep.equal(['tls.reload_failed', 'tls.reload_failed'])
    expect(await subject()).to.equal('alice.example.com')
    rmSync(files.cert)
    certificate.reload()
    expect(await subject()).to.equal('alice.example.com')
  })
})
