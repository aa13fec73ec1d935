import type { FlagshipConfig } from './attestation-config.ts'
import { verifyAppAttest } from './verify-app-attest.ts'
import { verifyPlayIntegrity } from './verify-play-integrity.ts'
import { verifySafetyNet } from './verify-safety-net.ts'

/** What a phone sends to prove that an app is genuine. */
export interface PostedAttestation {
  readonly platform: 'android' | 'ios'
  readonly challenge: string
  readonly attestation: string
  /** iOS: digest of the attested key, standard base64. */
  readonly keyId: string
  /** Android: `playintegrity`; anything else means SafetyNet. */
  readonly issuer: string
}

/** A body that is no attestation at all; the reason is sent as it is. */
interface MalformedAttestation {
  readonly reason: string
}

/** Hands the attestation to the verifier of its platform. @throws AttestationError */
export async function verifyAttestation(
  posted: PostedAttestation,
  config: FlagshipConfig,
  now: number,
): Promise<void> {
  const { platform, issuer, attestation, challenge, keyId } = posted
  if (platform === 'ios') await verifyAppAttest({ attestation, challenge, keyId }, config, { now })
  else if (issuer === 'playintegrity') {
    await verifyPlayIntegrity({ attestation, challenge }, config, { now })
  } else await verifySafetyNet({ attestation, challenge }, config, { now })
}

const PLATFORMS: readonly unknown[] = ['android', 'ios']
const TEXTS = ['platform', 'challenge', 'attestation', 'keyId', 'issuer'] as const

/** The members of the body; absent and `null` are empty texts. @see oauth.md 4.2 */
export function readAttestation(json: unknown): PostedAttestation | MalformedAttestation {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { reason: 'the body must be a JSON object' }
  }
  const members = new Map<string, unknown>(Object.entries(json))
  const texts = { platform: '', challenge: '', attestation: '', keyId: '', issuer: '' }
  for (const name of TEXTS) {
    const value = members.get(name) ?? ''
    if (typeof value !== 'string') return { reason: `${name} must be a text` }
    texts[name] = value
  }
  const { platform } = texts
  if (!PLATFORMS.includes(platform)) return { reason: 'invalid platform' }
  return { ...texts, platform: platform as PostedAttestation['platform'] } // One of the two.
}
