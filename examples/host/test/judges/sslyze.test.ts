import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type HostProcess, spawnHost } from '../support/host-process.ts'
import { expectKnown, pythonJudge } from '../support/judge.ts'

const pem = (name: string): string =>
  fileURLToPath(new URL(`../support/tls/test-only-${name}.pem`, import.meta.url))
/** These are of the certificate, which the operator brings: that of the tests is its own authority, for a century. */
const OF_THE_CERTIFICATE = ['certificate_path_validation', 'maximum_certificate_lifespan']

describe('sslyze on the TLS listener', function () {
  this.timeout(300_000)
  let host: HostProcess | undefined
  afterEach(async () => {
    await host?.stop()
    host = undefined
  })

  for (const [kind, cert, key] of [
    ['an ECDSA', 'cert', 'key'],
    ['an RSA', 'rsa-cert', 'rsa-key'],
  ] as const) {
    it(`finds Mozilla's "intermediate" configuration with ${kind} certificate`, async () => {
      const sslyze = await pythonJudge(
        ['sslyze==6.3.1', 'nassl==5.4.0', 'cryptography==46.0.7'],
        ['-m', 'sslyze'],
      )
      host = await spawnHost({ env: { SVC_TLS_CERT: pem(cert), SVC_TLS_KEY: pem(key) } })
      const { stdout } = await sslyze.run([
        '--mozilla_config=intermediate',
        '--sni=alice.example.com',
        `127.0.0.1:${host.port}`,
      ])
      const verdict = stdout.split('COMPLIANCE AGAINST')[1]
      expect(verdict, stdout).to.match(/127\.0\.0\.1:\d+: (?:OK|FAILED) - /)
      const found = [...String(verdict).matchAll(/^ +\* (\w+): /gm)].map(([, name = '']) => name)
      await expectKnown(
        'sslyze',
        found.filter((name) => !OF_THE_CERTIFICATE.includes(name)),
      )
    })
  }
})
