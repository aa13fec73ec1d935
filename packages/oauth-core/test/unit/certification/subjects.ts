import {
  type AppAttestObject,
  type AttestationPlatforms,
  encodeCbor,
  makeAppAttest,
  makePlayIntegrity,
  makeSafetyNet,
} from '@svc/testkit/attestation'
import { expect } from 'chai'
import { compactDecrypt } from 'jose'
import type { FlagshipConfig } from '../../../src/certification/attestation-config.ts'
import { verifyAppAttest } from '../../../src/certification/verify-app-attest.ts'
import { verifyPlayIntegrity } from '../../../src/certification/verify-play-integrity.ts'
import { verifySafetyNet } from '../../../src/certification/verify-safety-net.ts'
import { CHALLENGE, NOW } from './reasons.ts'

const checks = { now: NOW }

/** A verifier, and parts of an attestation it accepts: their bytes, and how an attestation is made of them again. */
export interface Subject {
  readonly verify: (attestation: string, config: FlagshipConfig) => Promise<unknown>
  readonly parts: readonly (readonly [Buffer, (bytes: Buffer) => string | Promise<string>])[]
}

export const SUBJECTS: Readonly<
  Record<string, (platforms: AttestationPlatforms) => Promise<Subject>>
> = {
  'App Attest': async (platforms) => {
    const seen: AppAttestObject[] = []
    const object = (made: AppAttestObject): object => {
      seen.push(made)
      return made
    }
    const made = await makeAppAttest(platforms, { challenge: CHALLENGE, object })
    const [original] = seen
    if (original === undefined) return expect.fail('no object was made')
    const { attStmt, authData } = original
    const encode = (fields: object): string =>
      encodeCbor({ ...original, ...fields }).toString('base64')
    return {
      verify: (attestation, config) => verifyAppAttest({ ...made, attestation }, config, checks),
      parts: [
        [Buffer.from(made.attestation, 'base64'), (bytes) => bytes.toString('base64')],
        [authData, (bytes) => encode({ authData: bytes })],
        ...attStmt.x5c.map(
          (der, place) =>
            [
              der,
              (bytes: Buffer) =>
                encode({ attStmt: { ...attStmt, x5c: attStmt.x5c.with(place, bytes) } }),
            ] as const,
        ),
      ],
    }
  },
  SafetyNet: async (platforms) => {
    const made = await makeSafetyNet(platforms, { challenge: CHALLENGE })
    const [header = '', payload = '', signature = ''] = made.attestation.split('.')
    const fields: { x5c: string[] } = JSON.parse(Buffer.from(header, 'base64url').toString())
    const encode = (bytes: Buffer): string => bytes.toString('base64url')
    const decode = (text: string): Buffer => Buffer.from(text, 'base64url')
    return {
      verify: (attestation, config) =>
        verifySafetyNet({ challenge: CHALLENGE, attestation }, config, checks),
      parts: [
        [Buffer.from(made.attestation), (bytes) => bytes.toString('latin1')],
        [decode(header), (bytes) => `${encode(bytes)}.${payload}.${signature}`],
        [decode(payload), (bytes) => `${header}.${encode(bytes)}.${signature}`],
        [decode(signature), (bytes) => `${header}.${payload}.${encode(bytes)}`],
        ...fields.x5c.map(
          (certificate, place) =>
            [
              Buffer.from(certificate, 'base64'),
              (bytes: Buffer) => {
                const x5c = fields.x5c.with(place, bytes.toString('base64'))
                const changed = Buffer.from(JSON.stringify({ ...fields, x5c }))
                return `${encode(changed)}.${payload}.${signature}`
              },
            ] as const,
        ),
      ],
    }
  },
  'Play Integrity': async (platforms) => {
    const { attestation } = await makePlayIntegrity(platforms, { challenge: CHALLENGE })
    const key = platforms.playIntegrity.decryptionKey
    const { plaintext } = await compactDecrypt(attestation, key)
    const encrypt = async (text: string): Promise<string> =>
      (await makePlayIntegrity(platforms, { challenge: CHALLENGE, plaintext: text })).attestation
    return {
      verify: (token, config) =>
        verifyPlayIntegrity({ challenge: CHALLENGE, attestation: token }, config, checks),
      parts: [
        [Buffer.from(attestation), (bytes) => bytes.toString('latin1')],
        [Buffer.from(plaintext), (bytes) => encrypt(bytes.toString('latin1'))],
      ],
    }
  },
}
