import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { needsLoopbackAddresses, until } from '@svc/testkit'
import { expect } from 'chai'
import { makeCertificates } from '../support/deploy/certificates.ts'
import { doMainJob } from '../support/deploy/fronted-job.ts'
import { metricsIn, panelExpressions, sampledIn } from '../support/deploy/panels.ts'
import { needsProgram, runProgram } from '../support/deploy/programs.ts'
import { checkNginx, DEPLOY, startNginx } from '../support/deploy/proxies.ts'
import { closeAfterTest, suiteFolder, testFolder, testProcess } from '../support/for-test.ts'
import type { HostProcess } from '../support/host-process.ts'
import {
  acceptedGroups,
  acceptedOldVersions,
  acceptedSuites,
  CURVES,
  intermediateSuites,
} from '../support/tls-offers.ts'

const DOMAIN = 'example.net'
const KEY = `test:${randomBytes(32).toString('base64')}`
const ENV = {
  NODE_ENV: 'production',
  SVC_DEMO_APPS: 'on',
  SVC_KEYS: KEY,
  SVC_SUBDOMAINS: 'flat',
}

/** What is counted by a label whose values nothing in the main job causes: its panels stay empty, and that is right. */
const WITHOUT_CAUSE = [
  // No limit was met.
  'svc_http_limited_total',
  // Nothing was answered 503.
  'svc_http_unavailable_total',
  // The store failed nobody.
  'svc_store_errors_total',
  // Nobody connected an account of a provider.
  'svc_provider_calls_total',
]

async function scrape({ adminPort, dataDir }: HostProcess): Promise<string> {
  const token = await readFile(path.join(dataDir, 'admin-token'), 'utf8')
  const answer = await fetch(`http://127.0.0.1:${adminPort}/metrics`, {
    headers: { authorization: `Bearer ${token.trim()}` },
  })
  return answer.text()
}

// Through nginx and Caddy it is done by the installation.
describe('the main job with TLS of our own (operation.md 7.3)', function () {
  this.timeout(60_000)
  const folder = suiteFolder()
  before(async function () {
    needsProgram(this, 'openssl')
    needsLoopbackAddresses(this)
  })

  it('is done, and afterwards every panel of the dashboard has data', async () => {
    const { ca, chain, key } = makeCertificates(folder, DOMAIN)
    const files = { SVC_TLS_CERT: chain, SVC_TLS_KEY: key }
    const host = await testProcess({ env: { ...ENV, ...files, SVC_HOST: '127.0.0.1' } })
    // As Prometheus does from the start: some figures are kept since somebody looks.
    await scrape(host)
    await doMainJob({
      domain: `own.${DOMAIN}`,
      httpsPort: host.port,
      ca,
      log: () => host.log,
      svc: (...args) => host.svc(...args),
    })
    // Values are counted beside the command that asks for them.
    await until(async () => {
      const { stdout } = await host.svc('keys', 'status', '--json')
      return (JSON.parse(stdout) as { counted_at: string | null }).counted_at !== null
    })
    const sampled = sampledIn(await scrape(host))
    const named = metricsIn(await panelExpressions(DEPLOY))
    expect(named.filter((name) => !sampled.has(name))).to.have.members(WITHOUT_CAUSE)
  })
})

describe('the files of the proxies', () => {
  let folder: string
  beforeEach(async () => {
    folder = testFolder()
  })

  it('is one that nginx takes', async function () {
    needsProgram(this, 'nginx')
    const certificates = makeCertificates(folder, DOMAIN)
    const options = { folder, deploy: DEPLOY, certificates, domain: DOMAIN, upstream: 8080 }
    const { code, said } = await checkNginx(options)
    expect(said).to.include('syntax is ok')
    expect(said).to.not.include('[warn]')
    expect(code).to.equal(0)
  })

  it('speaks the TLS of the listener of our own', async function () {
    needsProgram(this, 'nginx')
    const certificates = makeCertificates(folder, DOMAIN)
    const options = { folder, deploy: DEPLOY, certificates, domain: DOMAIN, upstream: 8080 }
    const nginx = await startNginx(options)
    closeAfterTest(() => nginx.stop())
    const to = { port: nginx.httpsPort, servername: DOMAIN }
    expect(await acceptedSuites(to)).to.have.members(intermediateSuites('ecdsa'))
    expect(await acceptedGroups(to)).to.deep.equal(CURVES)
    expect(await acceptedOldVersions(to)).to.deep.equal([])
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
