import { expect } from 'chai'
import { DAY_MS } from '@svc/platform'
import { loopbackFetch } from '@svc/testkit'
import { lineOf } from '../../src/checks/check.ts'
import { examineOutside } from '../../src/checks/doctor.ts'
import { createNames } from '../../src/checks/names.ts'
import { createOutsideClient } from '../../src/checks/outside-client.ts'
import { toSite } from '../../src/checks/sites.ts'
import { type Certificates, makeCertificates } from '../support/deploy/certificates.ts'
import { needsProgram } from '../support/deploy/programs.ts'
import { closeAfterTest, suiteFolder, testHost } from '../support/for-test.ts'
import { type NginxFront, startNginx } from '../support/nginx-front.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const HOST = 'proxy_set_header Host $http_host;'
const FOR = 'proxy_set_header X-Forwarded-For $remote_addr;'
const PROTO = 'proxy_set_header X-Forwarded-Proto $scheme;'
const UPGRADE = [
  'proxy_http_version 1.1;',
  'proxy_set_header Upgrade $http_upgrade;',
  'proxy_set_header Connection "upgrade";',
]

/** @see operation.md 2.2 */
describe('checks from outside', function () {
  this.timeout(30_000)
  const folder = suiteFolder()
  let authority: Certificates
  let nginx: NginxFront
  let trusting: TestHost
  let direct: TestHost

  before(async function () {
    for (const name of ['nginx', 'openssl']) needsProgram(this, name)
    authority = makeCertificates(folder, 'alice.example.com', 30)
    nginx = await startNginx(authority)
    const domain = `alice.example.com:${nginx.port}`
    trusting = await startTestHost({ SVC_TRUST_PROXY: '1' }, domain)
    direct = await startTestHost({}, domain)
  })
  after(async () => {
    await nginx?.close()
    await trusting?.stop()
    await direct?.stop()
  })

  /** What is said of a host behind nginx with these lines, without what is well. */
  async function wordsOf(
    host: TestHost,
    lines: readonly string[],
    { ca = authority.ca, later = 0, upstream = host.host.port } = {},
  ): Promise<string[]> {
    await nginx.lead(upstream, lines)
    const { port } = nginx
    const names = createNames({
      resolve: [`alice.example.com:${port}:127.0.0.1`, `*.alice.example.com:${port}:127.0.0.1`],
    })
    const results = await examineOutside({
      config: host.config,
      clock: { now: () => Date.now() + later },
      names,
      sites: [toSite(host.instance)],
      outside: createOutsideClient({ names, ...(ca !== '' && { ca }) }),
      makeNonce: () => host.host.app.probe.makeNonce(),
    })
    expect(new Set(results.map(({ id }) => id)).size).to.be.at.least(5)
    return results
      .filter(({ state }) => state !== 'ok')
      .map((result) => lineOf(result).replaceAll(`:${port}`, ''))
  }

  it('find nothing where the proxy is set up as it should be', async () => {
    expect(await wordsOf(trusting, [HOST, FOR, PROTO, ...UPGRADE])).to.deep.equal([])
  })

  it('proxy.trust finds that a made up address is believed', async () => {
    const words = await wordsOf(trusting, [HOST, PROTO, ...UPGRADE])
    expect(words).to.deep.equal([
      'fault    proxy.trust        SVC_TRUST_PROXY is too high: an address that a visitor made up is believed. Set it to the number of proxies, and have the outermost one set "X-Forwarded-For $remote_addr".',
    ])
  })

  it('proxy.trust finds that every visitor has the address of the proxy', async () => {
    for (const lines of [
      [HOST, FOR, PROTO, ...UPGRADE],
      [HOST, ...UPGRADE],
    ]) {
      expect(await wordsOf(direct, lines)).to.deep.equal([
        'fault    proxy.trust        SVC_TRUST_PROXY is too low: every visitor shares one limit, that of 127.0.0.1. Set it to the number of proxies in front, and have the outermost one set "X-Forwarded-For $remote_addr".',
      ])
    }
  })

  it('proxy.trust finds that X-Forwarded-Proto is missing', async () => {
    expect(await wordsOf(trusting, [HOST, FOR, ...UPGRADE])).to.deep.equal([
      'fault    proxy.trust        The proxy does not say that visitors come by https: X-Forwarded-Proto is missing. Add it: in nginx "proxy_set_header X-Forwarded-Proto $scheme;".',
    ])
  })

  it('websocket.path finds that upgrades do not get through', async () => {
    const words = await wordsOf(trusting, [HOST, FOR, PROTO])
    expect(words).to.have.lengthOf(1)
    expect(words[0]).to.include(
      'Websockets do not get through at https://alice.example.com/realtime/',
    )
    expect(words[0]).to.include('"proxy_set_header Upgrade $http_upgrade;"')
  })

  it('base.reached finds another Host, another server, and none', async () => {
    const other = await wordsOf(trusting, [FOR, PROTO])
    expect(other[0]).to.include(
      'https://alice.example.com leads to this server, but under another name (nobody knows it).',
    )
    const foreign = await wordsOf(trusting, ['return 200 "hello";'])
    expect(foreign[0]).to.include(
      'https://alice.example.com does not lead to this server: another server answers.',
    )
    const none = await wordsOf(trusting, [HOST, FOR, PROTO], { upstream: 1 })
    expect(none[0]).to.include('the answer is 502, so another server is there')
  })

  it('tls.chain finds an authority that browsers do not know, and a certificate that ends soon', async () => {
    const lines = [HOST, FOR, PROTO, ...UPGRADE]
    const unknown = await wordsOf(trusting, lines, { ca: '' })
    expect(unknown[0]).to.match(
      /^fault {4}tls\.chain {10}Browsers refuse the certificate of alice\.example\.com: \S+\. Use a certificate/,
    )
    const soon = await wordsOf(trusting, lines, { later: 20 * DAY_MS })
    expect(soon[0]).to.include('The certificate of alice.example.com ends in 9 days.')
    expect(soon).to.have.lengthOf(2)
  })
})

/** @see operation.md 2.4 */
describe('/dev/mails behind nginx without a header', function () {
  this.timeout(30_000)
  it('is 404 where a host has a public domain', async function () {
    needsProgram(this, 'nginx')
    const nginx = await startNginx()
    closeAfterTest(() => nginx.close())
    const host = await testHost({}, 'alice.example.com')
    const get = loopbackFetch({ port: nginx.port })
    for (const lines of [[HOST], [HOST, 'proxy_http_version 1.1;']]) {
      await nginx.lead(host.host.port, lines)
      for (const name of ['alice.example.com', 'alice.localhost', 'localhost']) {
        for (const page of ['/dev/mails', '/dev/outbox']) {
          expect((await get(`http://${name}${page}`)).status, `${name}${page}`).to.equal(404)
        }
      }
      expect((await get('http://alice.example.com/health/live')).status).to.equal(200)
    }
  })
})
