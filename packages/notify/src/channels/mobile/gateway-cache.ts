import { hash } from 'node:crypto'
import type { PushGateway } from './push-gateway.ts'

/** Gateways of credentials, so that access tokens and connections are kept; found by a hash of the credentials. */
export interface GatewayCache<Credentials> {
  gatewayOf(credentials: Credentials): PushGateway
  close(): Promise<void>
}

/** Credentials in use at a time; the longest unused one goes. */
const MAX = 100

export function createGatewayCache<Credentials extends object>(options: {
  /** All that makes credentials differ. */
  readonly describe: (credentials: Credentials) => string
  readonly create: (credentials: Credentials) => PushGateway
}): GatewayCache<Credentials> {
  const gateways = new Map<string, PushGateway>()
  // The same credentials are mostly the same object: their hash need not be made again.
  const digests = new WeakMap<Credentials, string>()

  function digestOf(credentials: Credentials): string {
    const known = digests.get(credentials)
    if (known !== undefined) return known
    const digest = hash('sha256', options.describe(credentials), 'base64url')
    digests.set(credentials, digest)
    return digest
  }

  return {
    gatewayOf(credentials) {
      const digest = digestOf(credentials)
      const gateway = gateways.get(digest) ?? options.create(credentials)
      gateways.delete(digest)
      gateways.set(digest, gateway)
      const [oldest] = gateways.size > MAX ? gateways : []
      if (oldest !== undefined) {
        gateways.delete(oldest[0])
        void oldest[1].close?.()
      }
      return gateway
    },

    async close() {
      const open = [...gateways.values()]
      gateways.clear()
      await Promise.all(open.map(async (gateway) => gateway.close?.()))
    },
  }
}
