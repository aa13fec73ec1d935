import { expect } from 'chai'
import { eachTestHost } from '../support/for-test.ts'
import { openHostile } from '../support/hostile-client.ts'

const FORM = 'application/x-www-form-urlencoded'

describe('requests in flight', () => {
  const host = eachTestHost({ SVC_LIMITS_REQUESTS_IN_FLIGHT: '8', SVC_TRUST_PROXY: '1' })

  const proxied = (address: string): Record<string, string> => ({
    'x-forwarded-for': address,
    'x-forwarded-proto': 'https',
  })

  it('are so many of a process and an eighth of one address; the others are told to come again', async () => {
    const browser = await host.browser(undefined, { anonymous: true })
    const logIn = (address: string) =>
      browser.request('POST', '/auth/login', {
        body: 'passphrase=wrong',
        headers: { ...proxied(address), 'content-type': FORM, accept: 'application/json' },
      })
    const [first, second] = await Promise.all([logIn('192.0.2.1'), logIn('192.0.2.1')])
    const refused = [first, second].find(({ status }) => status === 503)
    expect([first.status, second.status].toSorted()).to.deep.equal([401, 503])
    expect(refused?.json()).to.deep.equal({ error: 'overloaded' })
    expect(refused?.headers['retry-after']).to.equal('1')
    const many = await Promise.all(Array.from({ length: 24 }, (_, at) => logIn(`198.51.100.${at}`)))
    const statuses = many.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).to.have.length.within(8, 23)
    expect(new Set(statuses)).to.deep.equal(new Set([401, 503]))
    // A flood writes nothing but the lines of requests.
    expect(host.log.filter(([event]) => event === 'request.failed')).to.deep.equal([])
    const metrics = await (await host.admin('GET', '/metrics')).text()
    expect(metrics).to.match(/^svc_http_in_flight 0$/m)
  })

  it('are not those whose bodies do not come, and never those of health', async () => {
    const head = `POST /auth/login HTTP/1.1\r\nHost: alice.example.com\r\nX-Forwarded-Proto: https\r\n`
    const half = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        openHostile(
          host.host.port,
          `${head}X-Forwarded-For: 192.0.2.${at}\r\nContent-Type: ${FORM}\r\nContent-Length: 100\r\n\r\nhalf`,
        ),
      ),
    )
    try {
      const browser = await host.browser(undefined, { anonymous: true })
      const page = await browser.get('/auth/login', { headers: proxied('198.51.100.1') })
      expect(page.status).to.equal(200)
      expect((await fetch(`http://127.0.0.1:${host.host.port}/health/ready`)).status).to.equal(200)
    } finally {
      for (const { socket } of half) socket.destroy()
    }
  })
})
