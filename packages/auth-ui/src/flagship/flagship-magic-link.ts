import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { SecondFactor } from '../factors/bound.ts'
import type { MagicCodeCheck } from '../magic-link/magic-code-check.ts'
import { onboardedOwner } from '../owner/onboarded-owner.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { readPostedTexts } from '../web/posted-texts.ts'
import type { AnswerClient } from './answer-client.ts'
import type { ClientCheck } from './client-check.ts'

/** What {@link createFlagshipMagicLink} needs. */
export interface FlagshipMagicLinkOptions {
  readonly owners: OwnerStore
  readonly codeCheck: MagicCodeCheck
  readonly secondFactor: SecondFactor
  readonly checkClient: ClientCheck
  readonly answerClient: AnswerClient
}

/** `POST /auth/magic_link/flagship`. Never sets a cookie; only a success uses the code up. @see login.md 5.3 */
export function createFlagshipMagicLink(
  options: FlagshipMagicLinkOptions,
): (ctx: RouteContext) => Promise<void> {
  const { owners, codeCheck, secondFactor, checkClient, answerClient } = options

  return async function logInWithMagicCode(ctx) {
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
    const redeem = (): Promise<void> => codeCheck.take(ctx, owner, code)
    await answerClient(ctx, owner, { client, method: 'magic_link', redeem })
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
      const isWrong = AuthUiError.is(error, 'invalid_passphrase')
      throw isWrong ? new AuthUiError('passphrase_required', { cause: error }) : error
    }
  }
}
