import {
  APK_CERTIFICATE_DIGEST,
  APK_PACKAGE_NAME,
  makeAppAttest,
  makePlayIntegrity,
  makeSafetyNet,
} from '@svc/testkit/attestation'
import { expect } from 'chai'
import { verifyAppAttest } from '../../../src/certification/verify-app-attest.ts'
import { verifyPlayIntegrity } from '../../../src/certification/verify-play-integrity.ts'
import { verifySafetyNet } from '../../../src/certification/verify-safety-net.ts'
import { CHALLENGE, NOW, reasonOf, withPlatforms } from './reasons.ts'
import { SUBJECTS } from './subjects.ts'

describe('an attestation with a flipped bit', () => {
  const given = withPlatforms()

  for (const [name, open] of Object.entries(SUBJECTS)) {
    it(`is refused by ${name} wherever the bit is, but in a receipt`, async function () {
      this.timeout(240_000)
      const { verify, parts } = await open(given.platforms)
      for (const [bytes, restore] of parts) {
        // The receipt is for Apple's own service; its name and its length are not.
        const receipt = bytes.indexOf(Buffer.alloc(24, 0x5a))
        const named = bytes.indexOf('receipt') - 1
        const head = receipt < 0 || named < 0 ? [] : everyBit({ from: named, to: receipt })
        for (const [index, bit] of [...everyByte(bytes), ...head]) {
          if (receipt >= 0 && index >= receipt && index < receipt + 24) continue
          const attestation = await restore(flip(bytes, index, bit))
          const reason = await reasonOf(() => verify(attestation, given.config))
          expect(reason, `byte ${index}, bit ${bit}`).not.to.equal('')
        }
      }
    })
  }

  it('is refused by App Attest in the key id and in the challenge', async () => {
    const made = await makeAppAttest(given.platforms, { challenge: CHALLENGE })
    const keyId = Buffer.from(made.keyId, 'base64')
    for (const [index, bit] of everyByte(keyId)) {
      const input = { ...made, keyId: flip(keyId, index, bit).toString('base64') }
      expect(await reasonOf(() => verifyAppAttest(input, given.config, at))).to.equal(
        'invalid keyId',
      )
    }
    const challenge = Buffer.from(CHALLENGE)
    for (const [index, bit] of everyByte(challenge)) {
      const input = { ...made, challenge: flip(challenge, index, bit % 7).toString('latin1') }
      expect(await reasonOf(() => verifyAppAttest(input, given.config, at))).to.equal(
        'invalid nonce',
      )
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
          const made = await makeAppAttest(given.platforms, { challenge: CHALLENGE, authData })
          expect(await reasonOf(() => verifyAppAttest(made, given.config, at))).to.equal(reason)
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
        const made = await makeSafetyNet(given.platforms, { challenge: CHALLENGE, claims })
        expect(await reasonOf(() => verifySafetyNet(made, given.config, at))).to.match(reason)
      }
    }
    for (const [part, field, values, reason] of [
      ['request', 'nonce', nonces, /^invalid nonce$/],
      ['app', 'packageName', packages, / is not the package name of the flagship app$/],
      ['app', 'certificateSha256Digest', digests, /^invalid certificate digest$/],
    ] as const) {
      for (const value of values) {
        const overrides = { challenge: CHALLENGE, [part]: { [field]: value } }
        const made = await makePlayIntegrity(given.platforms, overrides)
        expect(await reasonOf(() => verifyPlayIntegrity(made, given.config, at))).to.match(reason)
      }
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
