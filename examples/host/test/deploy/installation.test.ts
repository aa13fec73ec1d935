import { createHash } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { freePort, needsLoopbackAddresses, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { bundleOnce, makeBundle } from '../support/deploy/bundle.ts'
import { type Certificates, makeCertificates } from '../support/deploy/certificates.ts'
import { doMainJob } from '../support/deploy/fronted-job.ts'
import {
  below,
  installationSteps,
  ownEnvironment,
  runLine,
  startUnit,
  type UnitProcess,
} from '../support/deploy/installation.ts'
import { needsProgram, runProgram } from '../support/deploy/programs.ts'
import { startCaddy, startNginx } from '../support/deploy/proxies.ts'
import { suiteFolder } from '../support/for-test.ts'

const DOMAIN = 'example.org'
const PORTS = { SVC_PORT: '0', SVC_ADMIN_PORT: '0' } as const
/** What only a machine of one's own has; the test does the same in another way, or has done it before. */
const NOT_HERE = /^(?:apt-get|systemctl) /

describe('the ten minutes of docs/operating.md', function () {
  this.timeout(120_000)
  const folder = suiteFolder()
  let archive: string
  let certificates: Certificates

  before(async function () {
    needsProgram(this, 'openssl')
    needsLoopbackAddresses(this)
    archive = bundleOnce(path.join(folder, 'bundle'))
    certificates = makeCertificates(folder, DOMAIN)
  })

  for (const [proxy, start] of [
    ['nginx', startNginx],
    ['caddy', startCaddy],
  ] as const) {
    it(`lead from an empty folder to an owner behind ${proxy}`, async function () {
      needsProgram(this, proxy)
      const root = path.join(folder, proxy)
      const cwd = path.join(folder, `${proxy}-home`)
      mkdirSync(cwd)
      copyFileSync(archive, path.join(cwd, path.basename(archive)))
      for (const file of ['fullchain.pem', 'privkey.pem']) {
        copyFileSync(path.join(folder, file), path.join(cwd, file))
      }
      const ports = { SVC_PORT: await freePort(), SVC_ADMIN_PORT: await freePort() }
      const opened: (() => Promise<unknown>)[] = []
      let server: UnitProcess | undefined
      let listed = ''
      try {
        for (const step of installationSteps()) {
          const line = below(root, step).replace(/ nginx$/, ` ${proxy}`)
          if (step === 'systemctl enable --now svc') {
            const settings = { ...ports, SVC_DEMO_APPS: 'on', SVC_HOST: '127.0.0.1' }
            const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
            appendFileSync(path.join(root, 'etc/svc/env'), lines.join(''))
            mkdirSync(path.join(root, 'var/lib/svc'), { recursive: true, mode: 0o700 })
            const unit = path.join(root, 'etc/systemd/system/svc.service')
            server = await startUnit(unit, root)
            opened.push(server.stop)
          } else if (!NOT_HERE.test(step)) listed = await runLine(line, { cwd, root })
        }
        expect(listed).to.include(`alice.${DOMAIN}`)

        const front = await start({
          folder: path.join(folder, `${proxy}-run`),
          deploy: path.join(root, 'opt/svc/current/deploy'),
          certificates: {
            ...certificates,
            chain: path.join(root, 'etc/svc/tls/fullchain.pem'),
            key: path.join(root, 'etc/svc/tls/privkey.pem'),
          },
          domain: DOMAIN,
          upstream: ports.SVC_PORT,
        })
        opened.push(front.stop)
        const plain = await fetch(`http://127.0.0.1:${front.httpPort}/auth/login?a=1`, {
          headers: { host: `bob.${DOMAIN}` },
          redirect: 'manual',
        })
        expect(plain.status).to.equal(308)
        const bin = path.join(root, 'usr/local/bin/svc')
        await doMainJob({
          domain: `bob.${DOMAIN}`,
          httpsPort: front.httpsPort,
          ca: certificates.ca,
          log: () => server?.log ?? [],
          svc: async (...args) => {
            const { code, said } = await runProgram(bin, args, { env: ownEnvironment() })
            return { code, stdout: said }
          },
        })
      } finally {
        for (const close of opened.toReversed()) await close()
      }
    })
  }

  it('leave settings and keys as they are when the next release is installed', async () => {
    const root = path.join(folder, 'twice')
    await runLine(`tar -xzf ${archive} -C ${folder}`, { cwd: folder, root })
    const install = `${folder}/${path.basename(archive, '.tar.gz')}/deploy/install example.com none`
    await runLine(install, { cwd: folder, root })
    const read = (name: string): string => readFileSync(path.join(root, 'etc/svc', name), 'utf8')
    appendFileSync(path.join(root, 'etc/svc/env'), 'SVC_MAIL_FROM=noreply@example.com\n')
    const [keys, env] = [read('keys'), read('env')]
    expect(await runLine(install, { cwd: folder, root })).to.include('kept')
    expect([read('keys'), read('env')]).to.deep.equal([keys, env])
    for (const name of ['keys', 'env']) {
      expect(statSync(path.join(root, 'etc/svc', name)).mode & 0o777, name).to.equal(0o600)
    }
  })

  it('begin with an archive that is the same byte for byte when it is made again', () => {
    const digest = (file: string): string =>
      createHash('sha256').update(readFileSync(file)).digest('hex')
    expect(digest(makeBundle(path.join(folder, 'again')))).to.equal(digest(archive))
  })

  it('begin with an archive of what runs, its commands, its licences and the list of its parts', async () => {
    const place = path.join(folder, 'unpacked')
    mkdirSync(place)
    await runLine(`tar -xzf ${archive} -C ${place} --strip-components=1`, { cwd: folder, root: '' })
    const files = readdirSync(place, { recursive: true }).map(String)
    expect(files.filter((file) => /\.(?:[cm]?ts|map)$/.test(file))).to.deep.equal([])
    expect(files.filter((file) => file.includes('node_modules/@types/'))).to.deep.equal([])
    expect(files).to.include.members([
      'LICENSE',
      'bin/svc',
      'bin/svc-host',
      'deploy/install',
      'docs/runbook.md',
    ])
    const sbom = JSON.parse(readFileSync(path.join(place, 'sbom.json'), 'utf8')) as {
      bomFormat: string
      components: { name: string }[]
    } // CycloneDX
    expect(sbom.bomFormat).to.equal('CycloneDX')
    expect(sbom.components.map(({ name }) => name)).to.include.members(['koa', 'oauth-core'])
  })

  it('begin with an archive whose host loads a few scripts of ours instead of a thousand', async () => {
    const root = path.join(folder, 'twice')
    const unit = path.join(root, 'etc/systemd/system/svc.service')
    mkdirSync(path.join(root, 'var/lib/svc'), { recursive: true, mode: 0o700 })
    const list = path.join(folder, 'modules')
    const hook = new URL('../support/list-modules.ts', import.meta.url).href
    const env = { LIST_MODULES: list, NODE_OPTIONS: `--import=${hook}` }
    const server = await startUnit(unit, root, { env: { ...PORTS, ...env } })
    expect(await server.stop()).to.equal(0)
    const loaded = readFileSync(list, 'utf8').split('\n')
    const ours = loaded.filter((url) => /\/(?:svc-[^/]+|@svc\/[^/]+)\/dist\//.test(url))
    expect(ours.filter((url) => url.endsWith('/@svc/auth-ui/dist/index.js'))).to.have.lengthOf(1)
    expect(ours.length, ours.join('\n')).to.be.at.most(80)
  })

  it('begin with an archive that starts within a second, without a network', async function () {
    const root = path.join(folder, 'twice')
    const unit = path.join(root, 'etc/systemd/system/svc.service')
    mkdirSync(path.join(root, 'var/lib/svc'), { recursive: true, mode: 0o700 })
    const alone = await runProgram('unshare', ['--net', 'true'])
    const before = alone.code === 0 ? ['unshare', '--net'] : []
    // The first start makes the store, and reads every file for the first time.
    for (const limitMs of [2000, 1000]) {
      const server = await startUnit(unit, root, { env: PORTS, before })
      expect(await server.stop()).to.equal(0)
      expect(server.startedCpuMs).to.be.within(1, scaledLimit(limitMs))
    }
  })
})
