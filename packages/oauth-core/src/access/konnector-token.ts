import type { Instance, Keyring } from '@svc/platform'
import { KONNECTOR_TOKEN_MS } from '../lifetimes.ts'
import type { KonnectorRegistry } from '../ports.ts'
import { signJwt } from '../tokens/jwt.ts'

/** Tokens of the instance's konnectors. @see oauth.md 7.1, 10.1; security.md 81 */
export interface KonnectorTokens {
  /** A fresh 30 min token of an installed konnector, without scope; undefined when there is no such konnector. */
  issue(instance: Instance, slug: string): Promise<string | undefined>
}

/** Signs with the key of the instance's sessions: what a konnector may do ends with a passphrase change. */
export function createKonnectorTokens(options: {
  readonly keyring: Pick<Keyring, 'current'>
  readonly clock: { now(): number }
  /** Absent: there are none. */
  readonly konnectors: KonnectorRegistry | undefined
}): KonnectorTokens {
  const { keyring, clock, konnectors } = options
  return {
    async issue(instance, slug) {
      const konnector = await konnectors?.installed(instance, slug)
      if (konnector === undefined) return undefined
      const key = await keyring.current(instance, 'session')
      const iat = Math.floor(clock.now() / 1000)
      const exp = iat + KONNECTOR_TOKEN_MS / 1000
      return signJwt(key, { iss: instance.domain, aud: 'konn', sub: konnector.slug, iat, exp })
    },
  }
}
