import { once } from 'node:events'
import { connect } from 'node:net'
import { timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { eachTestHost, suiteHost, testHost } from '../support/for-test.ts'

/** Sends bytes as they are and reads until the server closes. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('latin1')
  let answer = ''
  socket.on('data', (part: string) => {
    answer += part
  })
  socket.on('error', () => {})
  socket.write(text, 'latin1')
  await once(socket, 'close', { signal: AbortSignal.timeout(timeBudget(5000)) })
  return answer
}

describe('the public listener', () => {
  const host = suiteHost({ SVC_LIMITS_REQUESTS_PER_MINUTE: '0' })

  const H = 'Host: alice.example.com\r\nConnection: close\r\n'
  const broken: [string, string, number][] = [
    ['a target that is no path', `GET auth/login HTTP/1.1\r\n${H}\r\n`, 400],
    ['an absolute target that cannot be parsed', `GET http://[bad/ HTTP/1.1\r\n${H}\r\n`, 400],
    ['an absolute target of another host', `GET http://evil.example/ HTTP/1.1\r\n${H}\r\n`, 400],
    ['a star', `OPTIONS * HTTP/1.1\r\n${H}\r\n`, 400],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', `GET / HTTP/1.1\r\nHost: bob.example.com\r\n${H}\r\n`, 400],
    [
      'a Host with an at sign',
      'GET / HTTP/1.1\r\nHost: a@alice.example.com\r\nConnection: close\r\n\r\n',
      400,
    ],
    [
      'an unknown Host',
      'GET / HTTP/1.1\r\nHost: nobody.example.com\r\nConnection: close\r\n\r\n',
      404,
    ],
    [
      'length with chunked',
      `POST /auth/login HTTP/1.1\r\n${H}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'two lengths',
      `POST /auth/login HTTP/1.1\r\n${H}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd`,
      400,
    ],
    ['a space before the colon', `GET / HTTP/1.1\r\n${H}X : y\r\n\r\n`, 400],
    ['a header over 16 KiB', `GET / HTTP/1.1\r\n${H}X: ${'y'.repeat(17_000)}\r\n\r\n`, 431],
    ['no HTTP at all', 'hello\r\n\r\n', 400],
  ]
  for (const [what, text, status] of broken) {
    it(`answers ${status} once to ${what}`, async () => {
      const answer = await sendRaw(host.host.port, text)
      expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(answer.match(/HTTP\/1\.1/g)).to.have.lengthOf(1)
      expect(answer).to.match(/X-Content-Type-Options: nosniff/i)
      expect(answer).to.match(/Content-Type: [a-z/]+; charset=utf-8/i)
      expect(answer).to.not.match(/X-Powered-By|^Server:/im)
    })
  }

  it('says what to do about cookies of neighbours beyond 15 KB', async () => {
    const cookie = `Cookie: neighbour=${'y'.repeat(15_900)}; b=${'z'.repeat(900)}\r\n`
    const answer = await sendRaw(host.host.port, `GET /auth/login HTTP/1.1\r\n${H}${cookie}\r\n`)
    expect(answer).to.match(/^HTTP\/1\.1 431 /)
    expect(answer).to.include('Clear the cookies of this domain')
  })

  it('answers a request with an expectation that nobody knows like any other', async () => {
    const text = `GET /auth/login HTTP/1.1\r\n${H}Expect: the-impossible\r\n\r\n`
    const answer = await sendRaw(host.host.port, text)
    expect(answer).to.match(/^HTTP\/1\.1 200 /)
    expect(answer).to.match(/X-Content-Type-Options: nosniff/i)
  })

  it('survives a header called __proto__', async () => {
    const answer = await sendRaw(
      host.host.port,
      `GET /health/live HTTP/1.1\r\n${H}__proto__: x\r\n\r\n`,
    )
    expect(answer).to.match(/^HTTP\/1\.1 200 /)
  })

  it('answers 404 to what nobody declared, as a page or as JSON', async () => {
    const browser = await host.browser(undefined, { anonymous: true })
    const page = await browser.get('/nothing', { headers: { accept: 'text/html' } })
    expect(page).to.include({ status: 404, contentType: 'text/html' })
    const json = await browser.get('/nothing', { headers: { accept: 'application/json' } })
    expect(json).to.include({ status: 404, contentType: 'application/json' })
    expect(json.headers['strict-transport-security']).to.include('includeSubDomains')
  })
})

describe('/health', () => {
  const host = eachTestHost()

  const get = (target: string, method = 'GET', headers = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${host.host.port}${target}`, { method, headers })

  it('answers on any host, without a word more than up', async () => {
    for (const target of ['/health/live', '/health/ready', '/health/ready?x=1']) {
      const answer = await get(target)
      expect(answer.status).to.equal(200)
      expect(await answer.json()).to.deep.equal({ status: 'up' })
      expect(answer.headers.get('cache-control')).to.equal('no-store')
    }
    expect((await get('/health/live', 'HEAD')).status).to.equal(200)
    expect((await get('/health/live', 'POST')).status).to.equal(405)
    expect((await get('/health')).status).to.equal(404)
  })

  it('is not ready when the store cannot be used, but lives', async () => {
    await host.host.store.close()
    const ready = await get('/health/ready')
    expect(ready.status).to.equal(503)
    expect(await ready.json()).to.deep.equal({ status: 'down' })
    expect((await get('/health/live')).status).to.equal(200)
  })

  it('answers 503 to everything else when the store cannot be used', async () => {
    await host.host.store.close()
    const browser = await host.browser(undefined, { anonymous: true })
    const answer = await browser.get('/auth/login')
    expect(answer.status).to.equal(503)
    expect(answer.headers['retry-after']).to.equal('1')
  })

  it('is not ready from the first moment of a stop', async () => {
    host.host.app.health.stopping()
    expect((await get('/health/ready')).status).to.equal(503)
    expect((await get('/health/live')).status).to.equal(200)
  })
})

describe('the coarse limit', () => {
  const host = suiteHost({ SVC_LIMITS_REQUESTS_PER_MINUTE: '5', SVC_TRUST_PROXY: '1' })

  async function statuses(address: string, count: number): Promise<number[]> {
    const browser = await host.browser(undefined, { anonymous: true })
    const all: number[] = []
    const startedAt = performance.now()
    for (let at = 0; at < count; at++) {
      const answer = await browser.get('/public/prelogin', {
        headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
      })
      if (answer.status === 429) {
        const waitS = Number(answer.headers['retry-after'])
        expect(waitS).to.be.within(1, 60)
        // Whoever waits as long as that is let in: the minute began after `startedAt`.
        const endsInMs = startedAt + 60_000 - performance.now()
        expect(waitS * 1000).to.be.at.least(endsInMs)
        expect(answer.json()).to.have.property('error')
        expect(answer.headers['x-content-type-options']).to.equal('nosniff')
      }
      all.push(answer.status)
    }
    return all
  }

  it('counts an address, and lets others through', async () => {
    expect(await statuses('203.0.113.1', 7)).to.deep.equal([200, 200, 200, 200, 200, 429, 429])
    expect(await statuses('203.0.113.2', 1)).to.deep.equal([200])
  })

  it('counts IPv6 by network, and only what the proxy says', async () => {
    expect(await statuses('2001:db8::1', 3)).to.deep.equal([200, 200, 200])
    expect(await statuses('2001:db8:0:0:ffff::2', 3)).to.deep.equal([200, 200, 429])
    expect(await statuses('203.0.113.9, 203.0.113.1', 1)).to.deep.equal([429])
  })

  it('never keeps a load balancer from asking for health', async () => {
    for (let at = 0; at < 10; at++) {
      expect((await fetch(`http://127.0.0.1:${host.host.port}/health/live`)).status).to.equal(200)
    }
  })
})

describe('a listener behind a TLS proxy', () => {
  const H = 'Host: alice.example.com\r\nConnection: close\r\n'
  const refused: [string, string][] = [
    ['a target that is no path', `GET auth/login HTTP/1.1\r\n${H}\r\n`],
    ['an absolute target that cannot be parsed', `GET http://[bad/ HTTP/1.1\r\n${H}\r\n`],
    ['a header over 16 KiB', `GET / HTTP/1.1\r\n${H}X: ${'y'.repeat(17_000)}\r\n\r\n`],
    [
      'a host of no instance',
      'GET / HTTP/1.1\r\nHost: nobody.example\r\nConnection: close\r\n\r\n',
    ],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ]
  for (const [what, text] of refused) {
    it(`sends HSTS with the refusal of ${what} (security.md 4)`, async () => {
      const host = await testHost({ SVC_TRUST_PROXY: '1' })
      const answer = await sendRaw(host.host.port, text)
      expect(answer).to.match(/^HTTP\/1\.1 4\d\d /)
      expect(answer).to.include('Strict-Transport-Security: max-age=31536000\r\n')
    })
  }
})

describe('the log of a request', () => {
  it('says which request and which client a line is about (security.md 113)', async () => {
    const host = await testHost()
    const browser = await host.browser(undefined, { anonymous: true })
    const body = 'passphrase=wrong'
    const type = 'application/x-www-form-urlencoded'
    const answer = await browser.request('POST', '/auth/login', {
      body,
      headers: { 'content-type': type },
    })
    expect(answer.status).to.equal(401)
    const failed = host.log.filter(([event]) => event === 'login.failed')
    expect(failed).to.not.have.lengthOf(0)
    const request = host.log.find(([event]) => event === 'http.request')?.[1]
    for (const [, fields] of failed) {
      expect(fields).to.include({
        request_id: request?.['request_id'],
        domain: host.instance.domain,
        address: '127.0.0.1',
      })
    }
  })

  for (const trusted of ['0', '1']) {
    it(`${trusted === '1' ? 'has' : 'lacks'} what a proxy calls the request with SVC_TRUST_PROXY=${trusted}`, async () => {
      const host = await testHost({ SVC_TRUST_PROXY: trusted })
      const browser = await host.browser(undefined, { anonymous: true })
      const headers = { 'x-request-id': 'proxy-id_0123', 'x-forwarded-for': '192.0.2.1' }
      const answer = await browser.request('GET', '/auth/login', { headers })
      expect(answer.status).to.equal(200)
      const fields = host.log.find(([event]) => event === 'http.request')?.[1]
      expect(fields?.['request_id']).to.match(/^[0-9a-f-]{36}$/)
      expect(fields?.['proxy_request_id']).to.equal(trusted === '1' ? 'proxy-id_0123' : undefined)
    })
  }
})
