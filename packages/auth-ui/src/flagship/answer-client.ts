import type { Client, OAuth } from '@svc/oauth-core'
import type { Instance, Logger, RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { answerJson } from '../web/answer.ts'
import type { SessionOpener } from '../login/open-session.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { HostHooks } from '../ports.ts'
import type { OpenCodes } from '../session/open-codes.ts'
import type { LoginMethod } from '../session/session.ts'

/** How the owner logged in with the app. */
export interface ClientLogin {
  readonly client: Client
  readonly method: LoginMethod
  /** Uses up what the owner logged in with; it rejects when somebody else did. @defaultValue nothing is used up */
  readonly redeem?: () => Promise<void>
}

/**
 * Answers a log-in by an app: 200 with tokens of scope `*` for a certified one, 202 with a session code for any other.
 * @throws HttpError when the host refuses the log-in
 */
export type AnswerClient = (ctx: RouteContext, owner: Owner, login: ClientLogin) => Promise<void>

/** What {@link createAnswerClient} needs. */
export interface AnswerClientOptions {
  readonly clients: Pick<OAuth['clients'], 'isCertified' | 'issueFlagshipTokens'>
  readonly opener: Pick<SessionOpener, 'note'>
  readonly openCodes: OpenCodes
  readonly owners: OwnerStore
  readonly hooks: HostHooks
  readonly clientAddress: (ctx: RouteContext) => string
  readonly log: Logger
}

/** @see login.md 5.1, 5.3, 5.5; oauth.md 7.3 */
export function createAnswerClient(options: AnswerClientOptions): AnswerClient {
  const { clients, opener, openCodes, owners, hooks, clientAddress, log } = options

  /** A passphrase change that came after the check ends what it finds; one that is stored later is seen here. */
  async function demandSameOwner(
    instance: Instance,
    owner: Owner,
    method: LoginMethod,
  ): Promise<void> {
    const now = (await owners.get(instance.id))?.owner
    if (now?.securityStamp === owner.securityStamp) return
    throw new AuthUiError(method === 'registration' ? 'already_onboarded' : 'invalid_passphrase')
  }

  return async function answerClient(ctx, owner, { client, method, redeem }) {
    const { instance } = ctx.state
    let isRedeemed = redeem === undefined
    const noted = { instance: instance.domain, client: client.id, method }
    if (clients.isCertified(client)) {
      const address = clientAddress(ctx)
      await hooks.onLogin?.({ instance, method, address, userAgent: ctx.get('User-Agent') })
      await redeem?.()
      isRedeemed = true
      const admit = () => demandSameOwner(instance, owner, method)
      const tokens = await clients.issueFlagshipTokens(instance, client.id, admit)
      if (tokens !== undefined) {
        answerJson(ctx, { ...tokens })
        // The app is in: what the owner is told of it must not undo that.
        await opener.note(ctx, method).catch((error: unknown) => {
          log.error('login.not_noted', { ...noted, cause: String(error) })
        })
        log.info('login.flagship', { ...noted, certified: true })
        return
      }
    }
    const sessionCode = await openCodes.create(instance, owner)
    if (!isRedeemed) {
      await redeem?.().catch(async (error: unknown) => {
        await openCodes.redeem(instance, owner, sessionCode)
        throw error
      })
    }
    answerJson(ctx, { session_code: sessionCode })
    ctx.status = 202
    log.info('login.flagship', { ...noted, certified: false })
  }
}
