import type http from 'node:http'
import { expect } from 'chai'
import { type BrowserClient, browserClient, type Listening, listen } from '../../src/index.ts'

interface Seen {
  method: string | undefined
  url: string | undefined
  host: string | undefined
  cookie: string | undefined
  origin: string | undefined
  type: string | undefined
  body: string
}

describe('browserClient', () => {
  let server: Listening
  let answer: (req: http.IncomingMessage, res: http.ServerResponse) => void

  beforeEach(async () => {
    answer = (_req, res) => res.end()
    server = await listen((req, res) => {
      if (req.url?.startsWith('/echo')) echo(req, res)
      else answer(req, res)
    })
  })

  afterEach(() => server.close())

  function open(base: string): BrowserClient {
    return browserClient({ base, port: server.port })
  }

  async function cookieSent(client: BrowserClient, url: string): Promise<string | undefined> {
    return (await client.get(url)).json<Seen>().cookie
  }

  function setting(...cookies: string[]): void {
    answer = (_req, res) => res.setHeader('set-cookie', cookies).end()
  }

  describe('cookies', () => {
    it('keeps a __Host- cookie of an https base and sends it to that host only', async () => {
      const client = open('https://alice.example.com')
      setting('__Host-svcsessid=1; Path=/; Secure; HttpOnly; SameSite=Lax')
      await client.get('/')
      expect(client.cookie('__Host-svcsessid')?.value).to.equal('1')
      expect(await cookieSent(client, '/echo')).to.equal('__Host-svcsessid=1')
      expect(await cookieSent(client, 'https://home.alice.example.com/echo')).to.equal(undefined)
    })

    const refused: readonly (readonly [why: string, base: string, cookie: string])[] = [
      [
        'a __Host- cookie with a Domain',
        'https://a.example.com',
        '__Host-x=1; Path=/; Secure; Domain=a.example.com',
      ],
      [
        'a __Host- cookie with another Path',
        'https://a.example.com',
        '__Host-x=1; Path=/auth; Secure',
      ],
      ['a __Host- cookie without Secure', 'https://a.example.com', '__Host-x=1; Path=/'],
      ['a Secure cookie over http', 'http://a.example.com', '__Host-x=1; Path=/; Secure'],
      ['a cookie for a sibling', 'https://a.example.com', '__Host-x=1; Domain=b.example.com'],
      ['a cookie for a public suffix', 'https://a.example.com', '__Host-x=1; Domain=com'],
    ]
    for (const [why, base, cookie] of refused) {
      it(`refuses ${why}, and shows what was sent`, async () => {
        const client = open(base)
        setting(cookie)
        const response = await client.get('/')
        expect(response.setCookie('__Host-x')?.raw).to.equal(cookie)
        expect(await cookieSent(client, '/echo')).to.equal(undefined)
      })
    }

    it('sends a Domain cookie to hosts below, also below localhost', async () => {
      const client = open('http://alice.localhost:8080')
      setting('svcapp=1; Domain=alice.localhost; Path=/')
      await client.get('/')
      expect(await cookieSent(client, 'http://home.alice.localhost:8080/echo')).to.equal('svcapp=1')
      expect(await cookieSent(client, 'http://bob.localhost:8080/echo')).to.equal(undefined)
    })

    it('holds SameSite cookies back from other sites', async () => {
      const client = open('https://alice.example.com')
      setting('strict=1; SameSite=Strict', 'lax=1; SameSite=Lax')
      await client.get('/')
      const from = 'https://evil.example'
      const navigation = await client.get('/echo', { from })
      const submission = await client.post('/echo', {}, { from })
      expect(navigation.json<Seen>().cookie).to.equal('lax=1')
      expect(submission.json<Seen>().cookie).to.equal(undefined)
      expect(submission.json<Seen>().origin).to.equal(from)
    })

    it('shares nothing with another browser', async () => {
      const client = open('https://alice.example.com')
      setting('a=1')
      await client.get('/')
      expect(await cookieSent(client.another(), '/echo')).to.equal(undefined)
    })
  })

  it('removes a header that a request sets to undefined', async () => {
    const client = open('https://alice.example.com')
    const response = await client.post('/echo', {}, { headers: { origin: undefined } })
    expect(response.json<Seen>().origin).to.equal(undefined)
  })

  it('fails when the answer does not come in time', async () => {
    answer = () => {}
    const failure = await open('https://alice.example.com')
      .get('/', { timeoutMs: 50 })
      .catch((error: Error) => error)
    expect(failure).to.be.an('error')
    expect(String(failure)).to.contain('GET https://alice.example.com/')
  })
})

function echo(req: http.IncomingMessage, res: http.ServerResponse): void {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const { host, cookie, origin } = req.headers
    const body = Buffer.concat(chunks).toString()
    const type = req.headers['content-type']
    const { method, url } = req
    res.end(JSON.stringify({ method, url, host, cookie, origin, type, body }))
  })
}
