import type { Client, OAuth } from '@svc/oauth-core'
import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { RateLimits } from '../rate-limits.ts'

/** A client that says who it is, looked at but not yet judged. */
export interface CheckedClient {
  /**
   * The client; a wrong secret is counted.
   * @throws AuthUiError `invalid_client` 400 for an unknown client and a wrong secret, `rate_limited`
   */
  demand(): Promise<Client>
}

/** Compares a client's secret before anything is used up, and answers for it when its turn comes. */
export type ClientCheck = (
  ctx: RouteContext,
  credentials: { readonly clientId: string; readonly clientSecret: string },
) => Promise<CheckedClient>

/** What {@link createClientCheck} needs. */
export interface ClientCheckOptions {
  readonly clients: OAuth['clients']
  readonly limits: RateLimits
  readonly clientAddress: (ctx: RouteContext) => string
}

/** @see login.md 5.1 "POST /auth/login/flagship", 5.3 */
export function createClientCheck(options: ClientCheckOptions): ClientCheck {
  const { clients, limits, clientAddress } = options

  return async function checkClient(ctx, { clientId, clientSecret }) {
    const { instance } = ctx.state
    const found = await clients.verifySecret(instance, clientId, clientSecret)
    return {
      async demand() {
        // Deployed clients look for this text to notice that they were removed (clients.md 17).
        if (found === undefined) throw new AuthUiError('invalid_client')
        // By themselves too: with the passphrase right each time, the failures of the address never add up.
        const ofClient = `client ${clientId}`
        await limits.hit(instance, 'auth-ip', ofClient)
        if (found.isRight) {
          await limits.release(instance, 'auth-ip', ofClient)
          return found.client
        }
        await limits.hit(instance, 'auth-ip', clientAddress(ctx))
        throw new AuthUiError('invalid_client', { description: 'invalid client_secret' })
      },
    }
  }
}
