import { scaledLimit, cpuMs } from '@svc/testkit'
import { makePlayIntegrity, makeSafetyNet } from '@svc/testkit/attestation'
import { expect } from 'chai'
import fc from 'fast-check'
import { AttestationError } from '../../../src/certification/attestation-error.ts'
import { verifyAppAttest } from '../../../src/certification/verify-app-attest.ts'
import { verifyPlayIntegrity } from '../../../src/certification/verify-play-integrity.ts'
import { verifySafetyNet } from '../../../src/certification/verify-safety-net.ts'
import { mutate, mutations } from './mutations.ts'
import { CHALLENGE, NOW, withPlatforms } from './reasons.ts'
import { SUBJECTS } from './subjects.ts'

/** A long run is asked for: `SVC_FUZZ_RUNS=100000`. */
const RUNS = Number(process.env['SVC_FUZZ_RUNS'] ?? 1000)
const checks = { now: NOW }

const DIGESTS = 'apkCertificateDigestSha256'
/** Which field of which part of the payload. */
const FIELDS = Object.entries({
  'safety-net': ['nonce', 'timestampMs', 'apkPackageName', 'basicIntegrity', DIGESTS],
  request: ['nonce', 'timestampMillis', 'requestPackageName'],
  app: ['packageName', 'certificateSha256Digest', 'appRecognitionVerdict'],
  device: ['deviceRecognitionVerdict'],
  claims: ['requestDetails', 'appIntegrity', 'deviceIntegrity'],
}).flatMap(([part, fields]) => fields.map((field) => [part, field] as const))

describe('the verifiers of attestations', () => {
  const given = withPlatforms()

  for (const [name, open] of Object.entries(SUBJECTS)) {
    it(`refuse ${RUNS} mutations of ${name} with a reason, or understand them`, async function () {
      this.timeout(240_000)
      const { verify, parts } = await open(given.platforms)
      const check = (attestation: string) => refusals(() => verify(attestation, given.config))
      for (const [bytes, restore] of parts) expect(await check(await restore(bytes))).to.equal(0)
      let refused = 0
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...parts), mutations, async ([bytes, restore], steps) => {
          refused += await check(await restore(steps.reduce(mutate, bytes)))
        }),
        { numRuns: RUNS },
      )
      // Some mutations change nothing, or only the receipt; nearly all change what is vouched for.
      expect(refused).to.be.greaterThan(RUNS * 0.8)
    })
  }

  it('refuse any text and any value with a reason', async () => {
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.anything())
    await fc.assert(
      fc.asyncProperty(anything, anything, anything, async (attestation, challenge, keyId) => {
        // Callers without types can pass anything.
        const input = { attestation, challenge, keyId } as never
        expect(await refusals(() => verifyAppAttest(input, given.config, checks))).to.equal(1)
        expect(await refusals(() => verifySafetyNet(input, given.config, checks))).to.equal(1)
        expect(await refusals(() => verifyPlayIntegrity(input, given.config, checks))).to.equal(1)
      }),
      { numRuns: 1000 },
    )
  })

  it('understand or refuse whatever a platform might sign', async function () {
    this.timeout(60_000)
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FIELDS), value, async ([part, field], some) => {
        const made =
          part === 'safety-net'
            ? await makeSafetyNet(given.platforms, {
                challenge: CHALLENGE,
                claims: { [field]: some },
              })
            : await makePlayIntegrity(given.platforms, {
                challenge: CHALLENGE,
                [part]: { [field]: some },
              })
        const verify = part === 'safety-net' ? verifySafetyNet : verifyPlayIntegrity
        await refusals(() => verify(made, given.config, checks))
      }),
      { numRuns: 500 },
    )
  })

  it('spend little time on inputs of 48 KiB that are made to take long', async () => {
    const big = Buffer.alloc(36_000, 0x30).toString('base64')
    const header = (fields: object): string =>
      Buffer.from(JSON.stringify(fields)).toString('base64url')
    const nested = Buffer.from(`{"alg":"RS256","x5c":${'['.repeat(35_000)}`).toString('base64url')
    const many = header({ alg: 'RS256', x5c: Array.from({ length: 9000 }, () => 'AA==') })
    const dots = '.'.repeat(49_000)
    const wrapped = header({ alg: 'A256KW', enc: 'A256GCM' })
    const maps = Buffer.alloc(36_000, 0xa1)
    const lists = Buffer.alloc(36_000, 0x9a)
    for (const attestation of [
      big,
      dots,
      `${nested}.e30.`,
      `${many}.e30.`,
      `${wrapped}....`,
      `${wrapped}.${'A'.repeat(16_000)}.AAAA.${'A'.repeat(16_000)}.AAAA`,
      ...[maps, lists].map((bytes) => bytes.toString('base64')),
    ]) {
      const input = { attestation, challenge: CHALLENGE, keyId: '' }
      const spent = await cpuMs(async () => {
        expect(await refusals(() => verifyAppAttest(input, given.config, checks))).to.equal(1)
        expect(await refusals(() => verifySafetyNet(input, given.config, checks))).to.equal(1)
        expect(await refusals(() => verifyPlayIntegrity(input, given.config, checks))).to.equal(1)
      })
      expect(spent, attestation.slice(0, 40)).to.be.lessThan(scaledLimit(250))
    }
  })
})

/** 1 when it was refused, 0 when it was accepted; any other end fails the test. */
async function refusals(verify: () => Promise<unknown>): Promise<0 | 1> {
  try {
    await verify()
    return 0
  } catch (error) {
    expect(error).to.be.instanceOf(AttestationError)
    return 1
  }
}
