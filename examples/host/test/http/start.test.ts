import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { loopbackFetch, skipUnless } from '@svc/testkit'
import { spawnHost } from '../support/host-process.ts'

describe('a start', function () {
  this.timeout(30_000)

  it('loads only what the configuration uses', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-modules-'))
    try {
      const list = path.join(folder, 'modules')
      const hook = fileURLToPath(new URL('../support/list-modules.ts', import.meta.url))
      const host = await spawnHost({
        nodeOptions: ['--import', hook],
        env: { LIST_MODULES: list, SVC_DEMO_DOMAIN: 'alice.localhost' },
      })
      const page = await loopbackFetch({ port: host.port })('http://alice.localhost/')
      expect(page.status).to.equal(200)
      expect(await host.stop()).to.equal(0)
      const modules = (await readFile(list, 'utf8')).split('\n')
      const names = new Set(
        modules.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]),
      )
      expect([...names]).to.include.members(['koa', 'oidc-provider'])
      for (const name of [
        'ioredis',
        'bullmq',
        'nodemailer',
        'commander',
        'prom-client',
        'liquidjs',
      ]) {
        expect(names.has(name), name).to.equal(false)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('makes the thread pool larger before anybody uses it', async function () {
    skipUnless(this, process.platform === 'linux', 'threads are counted under /proc')
    const host = await spawnHost({ env: { SVC_DEMO: 'off' } })
    try {
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
    } finally {
      await host.stop()
    }
  })
})
