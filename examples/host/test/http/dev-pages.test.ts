import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { loadConfig } from '../../src/config/config.ts'
import { testFolder, testHost } from '../support/for-test.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const DOMAIN = 'alice.localhost'
const KEY = `a:${Buffer.from(Array.from({ length: 32 }, (_, at) => at * 5 + 3)).toString('base64')}`
const PAGES = ['/dev/mails', '/dev/mails/preview', '/dev/mails/preview/magic_link', '/dev/outbox']

/** Statuses of the pages for a request as it stands on the wire. */
async function statuses(
  { host }: TestHost,
  headers: readonly string[] = [],
  { version = '1.1', domain = DOMAIN } = {},
): Promise<string[]> {
  return Promise.all(
    PAGES.map(async (page) => {
      const socket = connect(host.port, '127.0.0.1')
      let answer = ''
      socket.setEncoding('latin1').on('data', (part: string) => {
        answer += part
      })
      const lines = [`GET ${page} HTTP/${version}`, `Host: ${domain}`, 'Connection: close']
      socket.write(`${[...lines, ...headers].join('\r\n')}\r\n\r\n`)
      await once(socket, 'close')
      return answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
    }),
  )
}

const SHOWN = ['200', '200', '200', '200']
const ABSENT = ['404', '404', '404', '404']

/** @see decision 0208 */
describe('/dev/*', () => {
  it('is shown to this machine while every instance is of this machine', async () => {
    const host = await testHost({}, DOMAIN)
    expect(await statuses(host)).to.deep.equal(SHOWN)
    await host.admin('POST', '/instances', { domain: 'bob.localhost:8080' })
    expect(await statuses(host)).to.deep.equal(SHOWN)
  })

  it('is not there for what a proxy passes on', async () => {
    const host = await testHost({}, DOMAIN)
    for (const header of [
      'X-Forwarded-For: 203.0.113.1',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: alice.example.com',
      'X-Real-IP: 203.0.113.1',
      'Forwarded: for=203.0.113.1',
      'Via: 1.1 proxy',
      'Via:',
    ]) {
      expect(await statuses(host, [header]), header).to.deep.equal(ABSENT)
    }
    expect(await statuses(host, [], { version: '1.0' }), 'HTTP/1.0').to.deep.equal(ABSENT)
  })

  it('is not there for pages of elsewhere that name this machine', async () => {
    const host = await testHost({}, DOMAIN)
    const answers = await statuses(host, [], { domain: 'rebound.example' })
    expect(answers).to.deep.equal(ABSENT)
  })

  it('is not there for an instance with a base of https, though no header tells of a proxy', async () => {
    const host = await testHost({}, 'alice.example.com')
    const answers = await statuses(host, [], { domain: 'alice.example.com' })
    expect(answers).to.deep.equal(ABSENT)
  })

  it('goes for good with the first instance of another domain', async () => {
    const folder = testFolder()
    const env = { SVC_DATA_DIR: folder }
    const host = await startTestHost(env, DOMAIN)
    await host.admin('POST', '/instances', { domain: 'bob.example.com' })
    expect(await statuses(host)).to.deep.equal(ABSENT)
    expect(host.notices.join('\n')).to.include('bob.example.com').and.include('svc mails')
    await host.admin('DELETE', '/instances/bob.example.com')
    expect(await statuses(host)).to.deep.equal(ABSENT)
    const mails = await host.admin('GET', `/instances/${DOMAIN}/mails`)
    expect(((await mails.json()) as { mails: unknown[] }).mails).to.have.lengthOf(1)
    await host.stop()
    const next = await testHost(env, 'carol.localhost')
    expect(await statuses(next)).to.deep.equal(ABSENT)
    expect(next.notices).to.deep.equal([])
  })

  it('goes for good with the first alias of another domain', async () => {
    const host = await testHost({}, DOMAIN)
    const aliases = ['alice.example.com']
    await host.admin('PATCH', `/instances/${DOMAIN}`, { aliases })
    await host.admin('PATCH', `/instances/${DOMAIN}`, { aliases: [] })
    expect(await statuses(host)).to.deep.equal(ABSENT)
  })

  it('goes with an instance that another process made', async () => {
    const host = await testHost({}, DOMAIN)
    await host.host.app.oauth.instances.create({ domain: 'bob.example.com' })
    expect(await statuses(host)).to.deep.equal(ABSENT)
  })

  const file = (name: string): string =>
    fileURLToPath(new URL(`../support/tls/test-only-${name}.pem`, import.meta.url))
  const others: [string, Record<string, string>, number][] = [
    ['when other machines reach the listener', { SVC_HOST: '0.0.0.0' }, 200],
    ['when it is switched off', { SVC_DEV_PAGES: 'off' }, 200],
    ['behind a proxy that says nothing of its clients', { SVC_TRUST_PROXY: '1' }, 200],
    ['in production', { NODE_ENV: 'production', SVC_KEYS: KEY }, 404],
  ]
  for (const [what, env, admin] of others) {
    it(`is not there ${what}`, async () => {
      const host = await testHost(env, DOMAIN)
      expect(await statuses(host)).to.deep.equal(ABSENT)
      for (const what of ['mails', 'outbox'])
        expect((await host.admin('GET', `/instances/${DOMAIN}/${what}`)).status).to.equal(admin)
    })
  }

  it('is not there when the base is https on a name of this machine', async () => {
    const env = { SVC_TLS_CERT: file('cert'), SVC_TLS_KEY: file('key'), SVC_HOST: '127.0.0.1' }
    const host = await testHost(env, DOMAIN)
    expect(await host.host.app.devPages.areOn()).to.equal(false)
  })

  it('can only be switched off', () => {
    const load = (): unknown => loadConfig({ SVC_DEV_PAGES: 'on' })
    expect(load).to.throw('SVC_DEV_PAGES: must be one of off')
  })
})
