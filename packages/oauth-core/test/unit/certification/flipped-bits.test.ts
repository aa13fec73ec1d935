import {
  APK_CERTIFICATE_DIGEST,
  APK_PACKAGE_NAME,
  type AttestationPlatforms,
  makeAppAttest,
  makePlatforms,
  makePlayIntegrity,
  makeSafetyNet,
} from '@svc/testkit/attestation'
import { expect } from 'chai'
import { compactDecrypt } from 'jose'
import {
  type FlagshipConfig,
  resolveFlagship,
} from '../../../src/certification/attestation-config.ts'
import { verifyAppAttest } from '../../../src/certification/verify-app-attest.ts'
import { verifyPlayIntegrity } from '../../../src/certification/verify-play-integrity.ts'
import { verifySafetyNet } from '../../../src/certification/verify-safety-net.ts'
import { CHALLENGE, NOW, reasonOf } from './reasons.ts'

describe('an attestation with a flipped bit', () => {
  let platforms: AttestationPlatforms
  let config: FlagshipConfig

  before(async () => {
    platforms = await makePlatforms(NOW)
    config = resolveFlagship(platforms.flagship)
  })

  it("is refused by App Attest wherever the bit is, but in the receipt's bytes", async function () {
    this.timeout(60_000)
    const receipt = Buffer.alloc(24, 0x5a)
    const made = await makeAppAttest(platforms, { challenge: CHALLENGE })
    const bytes = Buffer.from(made.attestation, 'base64')
    // The receipt is for Apple's own service; its name and its length are not.
    const start = bytes.indexOf(receipt)
    const head = { from: bytes.indexOf('receipt') - 1, to: start }
    for (const [index, bit] of [...everyByte(bytes), ...everyBit(head)]) {
      if (index >= start && index < start + receipt.length) continue
      const attestation = flip(bytes, index, bit).toString('base64')
      const reason = await reasonOf(() => verifyAppAttest({ ...made, attestation }, config, at))
      expect(reason, `byte ${index}, bit ${bit}`).not.to.equal('')
    }
  })

  it('is refused by App Attest in the key id and in the challenge', async () => {
    const made = await makeAppAttest(platforms, { challenge: CHALLENGE })
    const keyId = Buffer.from(made.keyId, 'base64')
    for (const [index, bit] of everyByte(keyId)) {
      const input = { ...made, keyId: flip(keyId, index, bit).toString('base64') }
      expect(await reasonOf(() => verifyAppAttest(input, config, at))).to.equal('invalid keyId')
    }
    const challenge = Buffer.from(CHALLENGE)
    for (const [index, bit] of everyByte(challenge)) {
      const input = { ...made, challenge: flip(challenge, index, bit % 7).toString('latin1') }
      expect(await reasonOf(() => verifyAppAttest(input, config, at))).to.equal('invalid nonce')
    }
  })

  const RULES = [
    ['the app', 0, 32, 'invalid RP ID hash'],
    ['the counter', 33, 37, 'invalid counter'],
    ['the aaguid', 37, 53, 'invalid aaguid'],
    ['the credential id', 53, 87, 'invalid credentialId'],
  ] as const
  for (const [name, from, to, reason] of RULES) {
    it(`is refused by App Attest in ${name}, even if Apple vouched for it`, async function () {
      this.timeout(60_000)
      for (let index = from; index < to; index++) {
        for (const bit of [0, 3, 7]) {
          const authData = (bytes: Buffer): Buffer => flip(bytes, index, bit)
          const made = await makeAppAttest(platforms, { challenge: CHALLENGE, authData })
          expect(await reasonOf(() => verifyAppAttest(made, config, at))).to.equal(reason)
        }
      }
    })
  }

  it('is refused in the nonce, the package and the digest, even if Google vouched for it', async function () {
    this.timeout(60_000)
    const nonces = variants(CHALLENGE)
    const packages = variants(APK_PACKAGE_NAME)
    const digests = variants(APK_CERTIFICATE_DIGEST).map((digest) => [digest])
    for (const [field, values, reason] of [
      ['nonce', nonces, /^invalid nonce$/],
      ['apkPackageName', packages, / is not the package name of the flagship app$/],
      ['apkCertificateDigestSha256', digests, /^invalid certificate digest$/],
    ] as const) {
      for (const value of values) {
        const claims = { [field]: value }
        const made = await makeSafetyNet(platforms, { challenge: CHALLENGE, claims })
        expect(await reasonOf(() => verifySafetyNet(made, config, at))).to.match(reason)
      }
    }
    for (const [part, field, values, reason] of [
      ['request', 'nonce', nonces, /^invalid nonce$/],
      ['app', 'packageName', packages, / is not the package name of the flagship app$/],
      ['app', 'certificateSha256Digest', digests, /^invalid certificate digest$/],
    ] as const) {
      for (const value of values) {
        const overrides = { challenge: CHALLENGE, [part]: { [field]: value } }
        const made = await makePlayIntegrity(platforms, overrides)
        expect(await reasonOf(() => verifyPlayIntegrity(made, config, at))).to.match(reason)
      }
    }
  })

  it('is refused by SafetyNet wherever the bit is', async function () {
    this.timeout(60_000)
    const made = await makeSafetyNet(platforms, { challenge: CHALLENGE })
    const bytes = Buffer.from(made.attestation)
    for (const [index, bit] of everyByte(bytes)) {
      const attestation = flip(bytes, index, bit).toString('latin1')
      const reason = await reasonOf(() => verifySafetyNet({ ...made, attestation }, config, at))
      expect(reason, `character ${index}, bit ${bit}`).not.to.equal('')
    }
  })

  it('is refused by SafetyNet in every byte of its certificates and its signature', async function () {
    this.timeout(60_000)
    const made = await makeSafetyNet(platforms, { challenge: CHALLENGE })
    const [header = '', payload = '', signature = ''] = made.attestation.split('.')
    const parsed: { x5c: string[] } = JSON.parse(Buffer.from(header, 'base64url').toString())
    for (const [place, certificate] of parsed.x5c.entries()) {
      const bytes = Buffer.from(certificate, 'base64')
      for (const [index, bit] of everyByte(bytes)) {
        const x5c = parsed.x5c.with(place, flip(bytes, index, bit).toString('base64'))
        const changed = Buffer.from(JSON.stringify({ ...parsed, x5c })).toString('base64url')
        const input = { ...made, attestation: [changed, payload, signature].join('.') }
        expect(await reasonOf(() => verifySafetyNet(input, config, at))).not.to.equal('')
      }
    }
    const bytes = Buffer.from(signature, 'base64url')
    for (const [index, bit] of everyByte(bytes)) {
      const changed = flip(bytes, index, bit).toString('base64url')
      const input = { ...made, attestation: [header, payload, changed].join('.') }
      expect(await reasonOf(() => verifySafetyNet(input, config, at))).to.equal(
        'cannot parse attestation: the signature is wrong',
      )
    }
  })

  it('is refused by Play Integrity wherever the bit is', async function () {
    this.timeout(60_000)
    const made = await makePlayIntegrity(platforms, { challenge: CHALLENGE })
    const bytes = Buffer.from(made.attestation)
    for (const [index, bit] of everyByte(bytes)) {
      const attestation = flip(bytes, index, bit).toString('latin1')
      const reason = await reasonOf(() => verifyPlayIntegrity({ ...made, attestation }, config, at))
      expect(reason, `character ${index}, bit ${bit}`).not.to.equal('')
    }
  })

  it('is refused by Play Integrity in every byte of the signature within', async () => {
    const jws = await innerToken(platforms)
    const [header, payload, signature = ''] = jws.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    for (const [index, bit] of everyByte(bytes)) {
      const plaintext = [header, payload, flip(bytes, index, bit).toString('base64url')].join('.')
      const made = await makePlayIntegrity(platforms, { challenge: CHALLENGE, plaintext })
      expect(await reasonOf(() => verifyPlayIntegrity(made, config, at))).to.equal(
        'cannot parse attestation: no key verifies its signature',
      )
    }
  })
})

const at = { now: NOW }

/** Every byte with one of its bits: another one for each byte, so that all kinds of flips occur. */
function everyByte(bytes: Buffer): readonly (readonly [number, number])[] {
  return Array.from(bytes, (_, index) => [index, (index * 5 + 3) % 8] as const)
}

/** All bits of some bytes. */
function everyBit({ from, to }: { readonly from: number; readonly to: number }) {
  return Array.from({ length: (to - from) * 8 }, (_, at) => [from + (at >> 3), at % 8] as const)
}

function flip(bytes: Buffer, index: number, bit: number): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(index) ^ (1 << bit), index)
  return changed
}

/** The text with one bit of each of its characters flipped. */
function variants(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  return everyByte(bytes).map(([index, bit]) => flip(bytes, index, bit % 7).toString('latin1'))
}

/** A JWS of the platform: what it would encrypt. */
async function innerToken(platforms: AttestationPlatforms): Promise<string> {
  const { attestation } = await makePlayIntegrity(platforms, { challenge: CHALLENGE })
  const { plaintext } = await compactDecrypt(attestation, platforms.playIntegrity.decryptionKey)
  return new TextDecoder().decode(plaintext)
}
