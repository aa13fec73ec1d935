import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { needsLoopbackAddresses } from '@svc/testkit'
import { expect } from 'chai'
import { type Certificates, makeCertificates } from '../support/deploy/certificates.ts'
import { doMainJob } from '../support/deploy/fronted-job.ts'
import { needsProgram, runProgram } from '../support/deploy/programs.ts'
import {
  checkNginx,
  DEPLOY,
  type Proxy,
  startCaddy,
  startNginx,
} from '../support/deploy/proxies.ts'
import { type HostProcess, spawnHost } from '../support/host-process.ts'

const DOMAIN = 'example.net'
const KEY = `test:${randomBytes(32).toString('base64')}`
const ENV = {
  NODE_ENV: 'production',
  SVC_DEMO_APPS: 'on',
  SVC_KEYS: KEY,
  SVC_SUBDOMAINS: 'flat',
}

describe('the main job through TLS (operation.md 7.3)', function () {
  this.timeout(60_000)
  let folder: string
  let certificates: Certificates
  let host: HostProcess | undefined

  before(async function () {
    needsProgram(this, 'openssl')
    needsLoopbackAddresses(this)
    folder = await mkdtemp(path.join(tmpdir(), 'svc-proxies-'))
    certificates = makeCertificates(folder, DOMAIN)
  })
  after(() => rm(folder, { recursive: true, force: true }))
  afterEach(() => host?.stop())

  async function doJob(process: HostProcess, name: string, httpsPort: number): Promise<void> {
    await doMainJob({
      domain: `${name}.${DOMAIN}`,
      httpsPort,
      ca: certificates.ca,
      log: () => process.log,
      svc: (...args) => process.svc(...args),
    })
  }

  const proxies: readonly (readonly [string, typeof startNginx])[] = [
    ['nginx', startNginx],
    ['caddy', startCaddy],
  ]
  for (const [name, start] of proxies) {
    it(`is done through ${name}, as its file has it`, async function () {
      needsProgram(this, name)
      host = await spawnHost({ env: { ...ENV, SVC_TRUST_PROXY: '1' } })
      const proxy: Proxy = await start({
        folder: path.join(folder, name),
        deploy: DEPLOY,
        certificates,
        domain: DOMAIN,
        upstream: host.port,
      })
      try {
        await doJob(host, name, proxy.httpsPort)
        const plain = await fetch(`http://127.0.0.1:${proxy.httpPort}/auth/login?a=1`, {
          headers: { host: `${name}.${DOMAIN}` },
          redirect: 'manual',
        })
        expect(plain.status).to.equal(308)
      } finally {
        await proxy.stop()
      }
    })
  }

  it('is done with TLS of our own', async () => {
    const files = { SVC_TLS_CERT: certificates.chain, SVC_TLS_KEY: certificates.key }
    host = await spawnHost({ env: { ...ENV, ...files, SVC_HOST: '127.0.0.1' } })
    await doJob(host, 'own', host.port)
  })
})

describe('the files of the proxies', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-proxies-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('is one that nginx takes', async function () {
    needsProgram(this, 'nginx')
    const certificates = makeCertificates(folder, DOMAIN)
    const options = { folder, deploy: DEPLOY, certificates, domain: DOMAIN, upstream: 8080 }
    const { code, said } = await checkNginx(options)
    expect(said).to.include('syntax is ok')
    expect(said).to.not.include('[warn]')
    expect(code).to.equal(0)
  })

  for (const name of ['Caddyfile', 'Caddyfile.on-demand']) {
    it(`is one that Caddy takes: ${name}`, async function () {
      needsProgram(this, 'caddy')
      const file = path.join(DEPLOY, 'caddy', name)
      const adapted = await runProgram('caddy', [
        'adapt',
        '--config',
        file,
        '--adapter',
        'caddyfile',
      ])
      expect(adapted.code, adapted.said).to.equal(0)
    })
  }
})
