import { createECDH } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { loopbackFetch, skipUnless } from '@svc/testkit'
import { testFolder, testProcess } from '../support/for-test.ts'
import { type HostProcess, runFaultyHost, spawnHost } from '../support/host-process.ts'

describe('a start', function () {
  this.timeout(30_000)

  it('loads only what the configuration uses', async () => {
    const modules = await modulesOf({ SVC_DEMO_DOMAIN: 'alice.localhost' }, async (port) => {
      const page = await loopbackFetch({ port })('http://alice.localhost/')
      expect(page.status).to.equal(200)
    })
    const names = new Set(
      modules.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]),
    )
    expect(names.has('koa')).to.equal(true)
    for (const name of [
      'oidc-provider',
      'ioredis',
      'bullmq',
      'nodemailer',
      'commander',
      'prom-client',
      'liquidjs',
    ]) {
      expect(names.has(name), name).to.equal(false)
    }
    expect(ofDemo(modules)).to.include.members(['demo/demo.ts', 'demo/data/data-routes.ts'])
    expect(ofDemo(modules).filter((file) => file.endsWith('dev-provider.ts'))).to.deep.equal([])
  })

  it('holds no library before its first use: of bodies, sessions, attestations, OAuth', async () => {
    const env = { NODE_ENV: 'production', SVC_KEYS: KEY }
    const modules = await modulesOf(env, async (port) => {
      expect((await loopbackFetch({ port })('http://localhost/health/live')).status).to.equal(200)
    })
    const loads = (name: string): boolean => modules.some((url) => url.includes(name))
    for (const name of UNUSED) expect(loads(name), name).to.equal(false)
    expect(loads('/packages/oauth-core/src/engine/provider-pool.ts')).to.equal(true)
    expect(modules.some((url) => url.includes('/node_modules/koa/'))).to.equal(true)
  })

  it('loads nothing of the demo in production, and serves owners without it', async () => {
    const env = { NODE_ENV: 'production', SVC_KEYS: KEY }
    const modules = await modulesOf(env, async (port, host) => {
      const create = ['instance', 'create', 'alice.example.com', '--passphrase', 'one two three']
      expect((await host.svc(...create)).code).to.equal(0)
      const { stdout } = await host.svc('app', 'list', 'alice.example.com', '--json')
      const { apps } = JSON.parse(stdout) as { apps: { slug: string }[] }
      expect(apps.map(({ slug }) => slug)).to.deep.equal(['settings'])
      const get = loopbackFetch({ port })
      expect((await get('http://alice.example.com/auth/login')).status).to.equal(200)
      expect((await get('http://alice.example.com/data/io.svc.notes')).status).to.equal(404)
      expect((await get('http://alice.example.com/dev/mails')).status).to.equal(404)
    })
    expect(modules.some((url) => url.endsWith('/host/src/app.ts'))).to.equal(true)
    expect(ofDemo(modules)).to.deep.equal([])
  })

  it('loads the demo in production when it is asked for', async () => {
    const env = { NODE_ENV: 'production', SVC_KEYS: KEY, SVC_DEMO_APPS: 'on' }
    const modules = await modulesOf(env, async (port, host) => {
      await host.svc('instance', 'create', 'alice.example.com', '--passphrase', 'one two three')
      const get = loopbackFetch({ port })
      expect((await get('http://alice.example.com/data/io.svc.notes')).status).to.equal(401)
      expect((await get('http://alice.example.com/dev/mails')).status).to.equal(404)
    })
    expect(ofDemo(modules)).to.include('demo/demo.ts')
  })

  it('makes the thread pool larger before anybody uses it', async function () {
    skipUnless(this, process.platform === 'linux', 'threads are counted under /proc')
    const host = await testProcess({ env: { SVC_DEMO: 'off' } })
    const created = host.svc(
      'instance',
      'create',
      'alice.example.com',
      '--passphrase',
      'one two three',
    )
    let threads = 0
    let isDone = false
    void created.then(() => {
      isDone = true
    })
    while (!isDone) {
      const status = await readFile(`/proc/${host.pid}/status`, 'utf8')
      threads = Math.max(threads, Number(/Threads:\s+(\d+)/.exec(status)?.[1]))
    }
    expect((await created).code).to.equal(0)
    // The main thread, V8's own (4 to 6) and a pool of 8 instead of 4.
    expect(threads).to.be.at.least(13)
  })

  it('ends with 78 when the subject of web pushes has no public host', async () => {
    const curve = createECDH('prime256v1')
    const publicKey = curve.generateKeys('base64url')
    const privateKey = Buffer.from(curve.getPrivateKey('hex').padStart(64, '0'), 'hex').toString(
      'base64url',
    )
    const env = {
      SVC_NOTIFICATIONS_VAPID_PUBLIC_KEY: publicKey,
      SVC_NOTIFICATIONS_VAPID_PRIVATE_KEY: privateKey,
    }
    for (const subject of ['mailto:admin@localhost', 'https://localhost', 'mailto:admin']) {
      const { code, stderr } = await runFaultyHost({
        ...env,
        SVC_NOTIFICATIONS_VAPID_SUBJECT: subject,
      })
      expect(code, subject).to.equal(78)
      expect(stderr).to.include('webpush.subject: must be a mailto: or https: URL with a public')
    }
  })

  /** The modules that a host loads until it is stopped. */
  async function modulesOf(
    env: Readonly<Record<string, string>>,
    visit: (port: number, host: HostProcess) => Promise<void>,
  ): Promise<string[]> {
    const folder = testFolder()
    const list = path.join(folder, 'modules')
    const hook = fileURLToPath(new URL('../support/list-modules.ts', import.meta.url))
    const host = await spawnHost({
      nodeOptions: ['--import', hook],
      env: { LIST_MODULES: list, ...env },
    })
    try {
      await visit(host.port, host)
    } finally {
      expect(await host.stop()).to.equal(0)
    }
    return (await readFile(list, 'utf8')).split('\n')
  }
})

const KEY = `k1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7 + 1)).toString('base64')}`

/** Libraries, and parts of Node, that a server may never use. */
const UNUSED: readonly string[] = [
  ...`@peculiar @simplewebauthn age-encryption ajv bowser cbor-x intl-messageformat jose koa-body
    koa-session libphonenumber-js nodemailer nunjucks oauth4webapi oidc-provider otplib
    temporal-polyfill tldts web-push zod`
    .split(/\s+/)
    .map((name) => `/node_modules/${name}/`),
  'NativeModule internal/deps/undici/undici',
  'NativeModule http2',
]

/** Files of the half that only shows. */
function ofDemo(modules: readonly string[]): string[] {
  return modules.flatMap((url) => /\/host\/src\/(demo\/.*)$/.exec(url)?.[1] ?? [])
}
