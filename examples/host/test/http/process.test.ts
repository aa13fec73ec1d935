import { once } from 'node:events'
import { statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { until, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { closeAfterTest, testFolder } from '../support/for-test.ts'
import { type HostProcess, runFaultyHost, spawnHost } from '../support/host-process.ts'

const HOST_HEADER = 'Host: alice.localhost\r\n'

const KEY = `a:${Buffer.from(Array.from({ length: 32 }, (_, at) => at * 5 + 3)).toString('base64')}`

async function open(port: number, text: string): Promise<{ socket: Socket; said: () => string }> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('latin1').on('data', (part: string) => {
    answer += part
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return { socket, said: () => answer }
}

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', () => resolve(true))
  })
}

describe('the process', function () {
  this.timeout(30_000)
  let host: HostProcess | undefined

  async function start(env: Record<string, string> = {}): Promise<HostProcess> {
    host = await spawnHost({ env: { SVC_DEMO_DOMAIN: 'alice.localhost', ...env } })
    return host
  }
  afterEach(async () => {
    await host?.stop('SIGKILL')
    host = undefined
  })

  it('says what to open, with a fresh link each time until somebody is onboarded', async () => {
    const first = await start()
    await until(() => first.notice.includes('The demo instance is http://alice.localhost/'))
    await until(() => first.notice.includes('http://alice.localhost/dev/mails'))
    const links = await until(() => /registerToken=([0-9a-f]{32})/.exec(first.notice))
    const log = JSON.stringify(first.log)
    expect(log).to.not.include(links[1])
    expect(log).to.not.include('alice@mail.localhost')
    for (const file of ['keys', 'admin-token', 'store.db']) {
      expect(statSync(path.join(first.dataDir, file)).mode & 0o077, file).to.equal(0)
    }
  })

  it('does not make the demo instance again once it was removed', async () => {
    const folder = testFolder()
    const env = { SVC_DEMO_DOMAIN: 'alice.localhost' }
    const first = await spawnHost({ dataDir: folder, env })
    expect(await first.svc('instance', 'remove', 'alice.localhost')).to.include({ code: 0 })
    expect(await first.stop()).to.equal(0)
    host = await spawnHost({ dataDir: folder, env })
    expect(host.notice).to.equal('')
    expect((await host.svc('instance', 'list')).stdout).to.equal('None.\n')
    await host.stop()
  })

  /** A request whose body does not come: its headers were read, and it waits. */
  async function openHalf(port: number, start: string, length: number) {
    const half = await open(
      port,
      `POST /auth/login HTTP/1.1\r\n${HOST_HEADER}Expect: 100-continue\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n`,
    )
    await until(() => half.said().includes('100 Continue'))
    half.socket.write(start)
    return half
  }

  it('answers what is under way when it is told to stop, then ends with 0', async () => {
    const { port, stop, log } = await start()
    const body = 'passphrase=x'
    const busy = await openHalf(port, body.slice(0, 4), body.length)
    const idle = await open(port, `GET /health/live HTTP/1.1\r\n${HOST_HEADER}\r\n`)
    await until(() => idle.said().includes('200 OK'))
    const startedAt = performance.now()
    const code = stop()
    await until(() => isRefused(port))
    await until(() => idle.socket.destroyed || idle.socket.readableEnded)
    busy.socket.write(body.slice(4))
    expect(await code).to.equal(0)
    expect(performance.now() - startedAt).to.be.lessThan(scaledLimit(10_000))
    expect(busy.said()).to.match(/HTTP\/1\.1 200 /)
    expect(busy.said()).to.match(/\r\nConnection: close\r\n/)
    expect(log.map(({ event }) => event)).to.include.members(['server.stopping', 'server.stopped'])
  })

  it('ends within 10 s when somebody never finishes a request', async () => {
    const { port, stop } = await start()
    await openHalf(port, 'x', 100)
    const startedAt = performance.now()
    expect(await stop()).to.equal(0)
    expect(performance.now() - startedAt).to.be.within(5000, scaledLimit(10_000))
  })

  it('ends within 10 s when somebody never begins to speak TLS', async () => {
    const file = (name: string): string =>
      fileURLToPath(new URL(`../support/tls/test-only-${name}.pem`, import.meta.url))
    const { port, stop } = await start({
      SVC_TLS_CERT: file('cert'),
      SVC_TLS_KEY: file('key'),
      SVC_HOST: '127.0.0.1',
      SVC_DEMO: 'off',
    })
    const silent = await open(port, '')
    // Whoever comes later and is served shows that the server knows of the first.
    const served = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(served, 'secureConnect')
    served.destroy()
    const startedAt = performance.now()
    expect(await stop()).to.equal(0)
    expect(performance.now() - startedAt).to.be.lessThan(10_000)
    silent.socket.destroy()
  })

  it('ends at once at the second signal', async () => {
    const { port, stop, pid, log } = await start()
    await openHalf(port, 'x', 100)
    const code = stop()
    await until(() => log.some(({ event }) => event === 'server.stopping'))
    const startedAt = performance.now()
    process.kill(pid, 'SIGTERM')
    expect(await code, 'killed by itself').to.equal(null)
    expect(performance.now() - startedAt).to.be.lessThan(scaledLimit(2000))
  })

  it('ends with 0 within 10 s while a mail server says nothing', async () => {
    const silent = createServer()
    const sockets: Socket[] = []
    silent.on('connection', (socket) => sockets.push(socket.on('error', () => {})))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo // listens on a port
    try {
      const { svc, stop, log } = await start({
        SVC_SMTP_URL: `smtp://127.0.0.1:${port}`,
        SVC_DEMO: 'off',
      })
      const created = svc('instance', 'create', 'bob.localhost', '--email', 'bob@mail.example')
      await until(() => sockets.length > 0)
      const startedAt = performance.now()
      expect(await stop()).to.equal(0)
      expect(performance.now() - startedAt).to.be.lessThan(scaledLimit(10_000))
      expect(log.at(-1)).to.include({ event: 'server.stopped' })
      await created
    } finally {
      for (const socket of sockets) socket.destroy()
      silent.close()
    }
  })

  it('says why it crashes, and ends at once', async () => {
    const crash = 'process.once("SIGUSR2", () => { throw new Error("crash of a test") })'
    host = await spawnHost({
      env: { SVC_DEMO: 'off' },
      nodeOptions: [`--import=data:text/javascript,${encodeURIComponent(crash)}`],
    })
    const startedAt = performance.now()
    expect(await host.stop('SIGUSR2'), 'killed by itself').to.equal(null)
    expect(performance.now() - startedAt).to.be.lessThan(scaledLimit(2000))
    expect(host.log.at(-1)).to.include({ event: 'process.uncaught_exception' })
    expect(String(host.log.at(-1)?.['cause'])).to.include('crash of a test')
  })

  it('speaks TLS with a certificate, and nothing else then', async () => {
    const file = (name: string): string =>
      fileURLToPath(new URL(`../support/tls/test-only-${name}.pem`, import.meta.url))
    const tls = await start({
      SVC_DEMO_DOMAIN: 'alice.example.com',
      SVC_TLS_CERT: file('cert'),
      SVC_TLS_KEY: file('key'),
      SVC_HOST: '127.0.0.1',
    })
    await until(() => tls.notice.includes('https://alice.example.com/'))
    const socket = connectTls({ port: tls.port, host: '127.0.0.1', rejectUnauthorized: false })
    let answer = ''
    socket.setEncoding('latin1').on('data', (part: string) => {
      answer += part
    })
    await once(socket, 'secureConnect')
    socket.write('GET / HTTP/1.1\r\nHost: alice.example.com\r\nConnection: close\r\n\r\n')
    await once(socket, 'close')
    expect(answer).to.match(/^HTTP\/1\.1 200 /)
    expect(answer).to.match(/Strict-Transport-Security: max-age=31536000; includeSubDomains/)
    expect(answer).to.match(/Set-Cookie: __Host-csrf=[^\n]*; Secure/)
    const plain = await open(tls.port, 'GET / HTTP/1.1\r\nHost: alice.example.com\r\n\r\n')
    await once(plain.socket, 'close')
    expect(plain.said()).to.equal('')
  })

  it('takes a renewed certificate on SIGHUP, and keeps its connections', async () => {
    const given = (name: string): string =>
      fileURLToPath(new URL(`../support/tls/test-only-${name}.pem`, import.meta.url))
    const folder = testFolder()
    const files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') }
    await copyFile(given('cert'), files.cert)
    await copyFile(given('key'), files.key)
    const { port, pid, log } = await start({
      SVC_TLS_CERT: files.cert,
      SVC_TLS_KEY: files.key,
      SVC_HOST: '127.0.0.1',
      SVC_DEMO: 'off',
    })
    const open = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(open, 'secureConnect')
    await copyFile(given('renewed-cert'), files.cert)
    await copyFile(given('renewed-key'), files.key)
    process.kill(pid, 'SIGHUP')
    await until(() => log.some(({ event }) => event === 'server.reloaded'))
    expect(log.map(({ event }) => event)).to.include('tls.reloaded')
    const next = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(next, 'secureConnect')
    expect(next.getPeerCertificate().subject.CN).to.equal('new.example')
    next.destroy()
    open.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(String(await once(open, 'data'))).to.match(/^HTTP\/1\.1 200 /)
    open.destroy()
  })

  it('redirects pages that a proxy took over plain http, and refuses the rest', async () => {
    const { port } = await start({ SVC_TRUST_PROXY: '1', SVC_DEMO_DOMAIN: 'alice.example.com' })
    const get = (target: string, proto: string): Promise<string> =>
      answered(
        port,
        `GET ${target} HTTP/1.1\r\nHost: alice.example.com\r\nX-Forwarded-Proto: ${proto}\r\nConnection: close\r\n\r\n`,
      )
    expect(await get('/auth/login?a=1', 'http')).to.match(
      /^HTTP\/1\.1 302 [^]*Location: https:\/\/alice\.example\.com\/auth\/login\?a=1\r\n/,
    )
    expect(await get('/public/prelogin', 'http')).to.match(/^HTTP\/1\.1 400 /)
    expect(await get('/auth/login', 'https')).to.match(/Set-Cookie: __Host-csrf=[^\n]*; Secure/)
  })

  async function answered(port: number, text: string): Promise<string> {
    const { socket, said } = await open(port, text)
    await once(socket, 'close')
    return said()
  }

  const faults: [string, Record<string, string>, RegExp][] = [
    [
      'several faults',
      { SVC_PORT: 'x', SVC_NONE: '1' },
      /SVC_NONE: unknown entry\n.*SVC_PORT: must be integer/,
    ],
    [
      'a certificate that is not there',
      { SVC_TLS_CERT: '/no', SVC_TLS_KEY: '/no' },
      /SVC_TLS_CERT/,
    ],
    ['a Redis address that is none', { SVC_STORE: 'redis://[', SVC_KEYS: KEY }, /SVC_STORE: /],
    [
      'a token that lives too long',
      { SVC_LIFETIMES_ACCESS_TOKEN: '48h' },
      /lifetimes\.accessToken/,
    ],
    [
      'a flat domain with one label',
      { SVC_SUBDOMAINS: 'flat', SVC_DEMO_DOMAIN: 'a-b.localhost' },
      /SVC_DEMO_DOMAIN/,
    ],
    ['a demo domain that is none', { SVC_DEMO_DOMAIN: '-' }, /SVC_DEMO_DOMAIN/],
  ]
  for (const [what, env, words] of faults) {
    it(`does not start with ${what}, and says why`, async () => {
      const { code, stderr } = await runFaultyHost(env)
      expect(code).to.equal(78)
      expect(stderr).to.match(words)
      expect(stderr).to.not.match(/\n {4}at /)
    })
  }

  it('does not start on a port that is taken, and names it', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = String(typeof address === 'object' ? address?.port : '')
    closeAfterTest(() => new Promise((resolve) => server.close(resolve)))
    const { code, stderr } = await runFaultyHost({ SVC_PORT: port })
    expect(code).to.equal(75)
    expect(stderr).to.include(`Port ${port} is taken`)
  })
})
