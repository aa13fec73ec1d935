import type { Logger, RouteContext } from '@svc/oauth-core'
import { AuthUiError } from '../errors.ts'
import type { SecondFactor } from '../factors/second-factor.ts'
import { answerJson } from '../login/arrival.ts'
import type { MagicCodeCheck } from '../magic-link/magic-code-check.ts'
import { onboardedOwner } from '../owner/onboarded-owner.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { readPostedTexts } from '../posted-texts.ts'
import type { OpenCodes } from '../session-code/open-codes.ts'
import type { ClientCheck } from './client-check.ts'

/** What {@link createFlagshipMagicLink} needs. */
export interface FlagshipMagicLinkOptions {
  readonly owners: OwnerStore
  readonly codeCheck: MagicCodeCheck
  readonly secondFactor: SecondFactor
  readonly openCodes: OpenCodes
  readonly checkClient: ClientCheck
  readonly log: Logger
}

/** `POST /auth/magic_link/flagship`. Never sets a cookie; only a success uses the code up. @see login.md 5.3 */
export function createFlagshipMagicLink(
  options: FlagshipMagicLinkOptions,
): (ctx: RouteContext) => Promise<void> {
  const { owners, codeCheck, secondFactor, openCodes, checkClient, log } = options

  return async function logInWithMagicCode(ctx) {
    const { instance } = ctx.state
    const posted = readPostedTexts(ctx)
    const code = posted.demand('magic_code')
    const credentials = {
      clientId: posted.demand('client_id'),
      clientSecret: posted.demand('client_secret'),
    }
    const passphrase = posted.get('passphrase') ?? ''
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) throw new AuthUiError('onboarding_needed')
    await codeCheck.demand(ctx, owner, code)
    if (secondFactor.isOn(owner)) await demandPassphrase(ctx, owner, code, passphrase)
    const client = await (await checkClient(ctx, credentials)).demand()
    const sessionCode = await openCodes.create(instance, owner)
    try {
      await codeCheck.take(ctx, owner, code)
    } catch (error) {
      await openCodes.redeem(instance, owner, sessionCode)
      throw error
    }
    answerJson(ctx, { session_code: sessionCode })
    ctx.status = 202
    log.info('login.flagship', { instance: instance.domain, client: client.id })
  }

  /** Absent: refused without being counted. */
  async function demandPassphrase(
    ctx: RouteContext,
    owner: Owner,
    code: string,
    passphrase: string,
  ): Promise<void> {
    if (passphrase === '') throw new AuthUiError('passphrase_required')
    try {
      await codeCheck.checkPassphrase(ctx, owner, code, passphrase)
    } catch (error) {
      const isWrong = error instanceof AuthUiError && error.code === 'invalid_passphrase'
      throw isWrong ? new AuthUiError('passphrase_required', { cause: error }) : error
    }
  }
}
