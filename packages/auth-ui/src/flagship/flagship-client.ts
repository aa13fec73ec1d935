import { noteOwn } from '../web/activity.ts'
import type { Client } from '@svc/oauth-core'
import type { Instance, RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { noteLogin } from '../login/complete-login.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { createOpenCode, redeemOpenCode } from '../session/open-code.ts'
import type { LoginMethod } from '../session/session.ts'
import { answerJson } from '../web/answer.ts'

/** What an app says about itself. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** A client that says who it is, looked up, and neither accepted nor refused yet. */
export interface CheckedClient {
  /**
   * The client; a wrong secret is counted.
   * @throws AuthUiError `invalid_client` 400 for an unknown client and a wrong secret, `rate_limited`
   */
  require(): Promise<Client>
}

/** How the owner logged in with the app. */
export interface ClientLogin {
  readonly client: Client
  readonly method: LoginMethod
  /** Uses up what the owner logged in with; it rejects when somebody else did. @defaultValue nothing is used up */
  readonly redeem?: () => Promise<void>
}

/**
 * Compares a client's secret before anything is used up, and answers for it when its turn comes.
 * @see login.md 5.1 "POST /auth/login/flagship", 5.3
 */
export async function checkClient(
  { limits, oauth }: Pick<AuthUiServices, 'limits' | 'oauth'>,
  ctx: RouteContext,
  { clientId, clientSecret }: ClientCredentials,
): Promise<CheckedClient> {
  const { instance } = ctx.state
  const found = await oauth.clients.verifySecret(instance, clientId, clientSecret)
  return {
    async require() {
      // Deployed clients look for this text to notice that they were removed (clients.md 17).
      if (found === undefined) throw new AuthUiError('invalid_client')
      // By themselves too: with the passphrase right each time, the failures of the address never add up.
      const ofClient = `client ${clientId}`
      await limits.hit(instance, 'auth-ip', ofClient)
      if (found.isRight) {
        await limits.release(instance, 'auth-ip', ofClient)
        return found.client
      }
      await limits.hit(instance, 'auth-ip', oauth.clientAddress(ctx))
      throw new AuthUiError('invalid_client', { description: 'invalid client_secret' })
    },
  }
}

/**
 * Answers a login by an app: 200 with tokens of scope `*` for a certified one, 202 with a session code for any other.
 * @throws HttpError when the host refuses the login
 * @see login.md 5.1, 5.3, 5.5; oauth.md 7.3
 */
export async function answerClient(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  { client, method, redeem }: ClientLogin,
): Promise<void> {
  const { hooks, log, oauth } = services
  const { instance } = ctx.state
  let isRedeemed = redeem === undefined
  if (oauth.clients.isCertified(client)) {
    const address = oauth.clientAddress(ctx)
    await hooks.onLogin?.({ instance, method, address, userAgent: ctx.get('User-Agent') })
    await redeem?.()
    isRedeemed = true
    if (await answerTokens(services, ctx, owner, client, method)) return
  }
  const note = noteOwn(services, ctx, { event: 'session_code.made' })
  const sessionCode = await createOpenCode(services, instance, owner, note)
  if (!isRedeemed) {
    await redeem?.().catch(async (error: unknown) => {
      await redeemOpenCode(services, instance, owner, sessionCode)
      throw error
    })
  }
  answerJson(ctx, { session_code: sessionCode })
  ctx.status = 202
  const noted = { domain: instance.domain, client: client.id, method }
  log.info('login.flagship', { ...noted, certified: false })
}

/** False when the client is certified no longer. */
async function answerTokens(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  client: Client,
  method: LoginMethod,
): Promise<boolean> {
  const { log, oauth } = services
  const { instance } = ctx.state
  const tokens = await oauth.clients.issueFlagshipTokens(instance, client.id, () =>
    requireSameOwner(services, instance, owner, method),
  )
  if (tokens === undefined) return false
  answerJson(ctx, { ...tokens })
  const noted = { domain: instance.domain, client: client.id, method }
  // The app is in: what the owner is told of it must not undo that.
  await noteLogin(services, ctx, method).catch((error: unknown) => {
    log.error('login.not_noted', { ...noted, cause: String(error) })
  })
  log.info('login.flagship', { ...noted, certified: true })
  return true
}

/** A passphrase change that came after the check ends what it finds; one that is stored later is seen here. */
async function requireSameOwner(
  { owners }: AuthUiServices,
  instance: Instance,
  owner: Owner,
  method: LoginMethod,
): Promise<void> {
  const now = (await owners.get(instance.id))?.owner
  if (now?.securityStamp === owner.securityStamp) return
  throw new AuthUiError(method === 'registration' ? 'already_onboarded' : 'invalid_passphrase')
}
