import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type RunningServer, startServer } from '../../src/http/http-server.ts'
import {
  acceptedGroups,
  acceptedOldVersions,
  acceptedSuites,
  canOffer,
  CURVES,
  HYBRID,
  intermediateSuites,
  offerSuites,
  shakeHands,
  TLS12,
} from '../support/tls-offers.ts'

const pem = (name: string): string =>
  fileURLToPath(new URL(`../support/tls/test-only-${name}.pem`, import.meta.url))

const CERTIFICATES = [
  { kind: 'ecdsa', files: { cert: pem('cert'), key: pem('key') } },
  { kind: 'rsa', files: { cert: pem('rsa-cert'), key: pem('rsa-key') } },
] as const

/** Mozilla's "intermediate" configuration, version 6.0, as clients see it. */
describe('the TLS listener', () => {
  for (const { kind, files } of CERTIFICATES) {
    describe(`with an ${kind.toUpperCase()} certificate`, () => {
      const suites = intermediateSuites(kind)
      let server: RunningServer
      before(async () => {
        const options = { port: 0, host: '127.0.0.1', tls: files }
        server = await startServer((_request, response) => response.end(), options)
      })
      after(() => server.stop({ drainMs: 0, cutMs: 0 }))
      const to = () => ({ port: server.port })

      it('accepts three authenticated suites with forward secrecy over TLS 1.2', async () => {
        expect(await acceptedSuites(to())).to.have.members(suites)
      })

      it('accepts the same once the certificate was read again', async () => {
        server.reload()
        expect(await acceptedSuites(to())).to.have.members(suites)
      })

      it('takes the suite that the client prefers', async () => {
        for (const name of suites) {
          const others = suites.filter((other) => other !== name)
          expect(await shakeHands(to(), offerSuites(name, ...others))).to.equal(name)
        }
      })

      it('accepts three curves, and the hybrid group where Node knows it', async () => {
        const hasHybrid = canOffer({ ecdhCurve: HYBRID })
        expect(await acceptedGroups(to())).to.deep.equal(hasHybrid ? [HYBRID, ...CURVES] : CURVES)
        if (kind === 'rsa') expect(await acceptedGroups(to(), TLS12)).to.deep.equal(CURVES)
      })

      it('refuses TLS 1.0 and 1.1', async () => {
        expect(await acceptedOldVersions(to())).to.deep.equal([])
      })
    })
  }
})
