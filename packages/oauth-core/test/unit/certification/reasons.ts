import { expect } from 'chai'
import { type AttestationPlatforms, makePlatforms } from '@svc/testkit/attestation'
import {
  type FlagshipConfig,
  resolveFlagship,
} from '../../../src/certification/attestation-config.ts'
import { AttestationError } from '../../../src/certification/attestation-error.ts'

/** Noon of a day long gone: whatever uses the machine's clock instead of the given one fails. */
export const NOW: number = Date.parse('2025-03-01T12:00:00Z')
export const CHALLENGE = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF2hJ5'

/** Platforms of that day, and a host that trusts them; made before the tests of a suite. */
export function withPlatforms(): {
  readonly platforms: AttestationPlatforms
  readonly config: FlagshipConfig
} {
  const given = {} as { platforms: AttestationPlatforms; config: FlagshipConfig }
  before(async () => {
    given.platforms = await makePlatforms(NOW)
    given.config = resolveFlagship(given.platforms.flagship)
  })
  return given
}

/** What `verify` refused. Anything but a refusal fails the test. */
export async function reasonOf(verify: () => unknown): Promise<string> {
  try {
    await verify()
  } catch (error) {
    expect(error).to.be.instanceOf(AttestationError)
    return error instanceof AttestationError ? error.reason : ''
  }
  return expect.fail('the attestation was accepted')
}

/** The reason of something that cannot be parsed or trusted. */
export function malformed(why: string): string {
  return `cannot parse attestation: ${why}`
}
