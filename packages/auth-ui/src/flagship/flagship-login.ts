import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { SecondFactor } from '../factors/bound.ts'
import { answerJson } from '../web/answer.ts'
import type { PassphraseCheck } from '../login/passphrase-check.ts'
import { onboardedOwner } from '../owner/onboarded-owner.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { readPostedTexts } from '../web/posted-texts.ts'
import type { EmailVerifiedCodes } from '../session/open-codes.ts'
import type { AnswerClient } from './answer-client.ts'
import type { CheckedClient, ClientCheck } from './client-check.ts'
import { type PostedPair, readPostedPair } from '../web/posted-pair.ts'

/** What {@link createFlagshipLogin} needs. */
export interface FlagshipLoginOptions {
  readonly owners: OwnerStore
  readonly passphrases: PassphraseCheck
  readonly secondFactor: SecondFactor
  readonly emailVerifiedCodes: EmailVerifiedCodes
  readonly checkClient: ClientCheck
  readonly answerClient: AnswerClient
}

/** What an app posts. */
interface Posted {
  readonly passphrase: string
  readonly clientId: string
  readonly clientSecret: string
  readonly emailVerifiedCode: string
  readonly pair: PostedPair | undefined
}

/**
 * `POST /auth/login/flagship`, the log-in of an app without a browser. Never sets a cookie. A certified
 * client gets tokens of scope `*`, any other a session code.
 * @see login.md 5.1, oauth.md 8
 */
export function createFlagshipLogin(
  options: FlagshipLoginOptions,
): (ctx: RouteContext) => Promise<void> {
  const { owners, passphrases, secondFactor, emailVerifiedCodes, checkClient, answerClient } =
    options

  return async function logInFlagship(ctx) {
    const posted = readPosted(ctx)
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) throw new AuthUiError('onboarding_needed')
    await passphrases.check(ctx, owner, posted.passphrase)
    // Known before anything is used up: a typo in the client's credentials costs nothing.
    const client = await checkClient(ctx, posted)
    if (!(await passSecondStep(ctx, owner, posted, client))) return
    const method = secondFactor.isOn(owner) ? '2FA' : 'password'
    await answerClient(ctx, owner, { client: await client.demand(), method })
  }

  /** False when it answered: the second step is open. */
  async function passSecondStep(
    ctx: RouteContext,
    owner: Owner,
    { clientId, emailVerifiedCode, pair }: Posted,
    client: CheckedClient,
  ): Promise<boolean> {
    if (!secondFactor.isOn(owner)) return true
    const { instance } = ctx.state
    if (await emailVerifiedCodes.isGood(instance, owner, emailVerifiedCode)) {
      await client.demand()
      if (await emailVerifiedCodes.redeem(instance, owner, emailVerifiedCode)) return true
    }
    if (pair === undefined) {
      const { token } = await secondFactor.begin(ctx, owner, { purpose: 'flagship', clientId })
      // SPEC: login.md 5.1 - without `error`: that is how it is told from a wrong passphrase.
      answerJson(ctx, { two_factor_token: token })
      ctx.status = 401
      return false
    }
    await completePair(ctx, owner, pair, client)
    return true
  }

  /** SPEC: login.md 5.1 - a wrong pair is told first, and a wrong client leaves a right pair as it was. */
  async function completePair(
    ctx: RouteContext,
    owner: Owner,
    pair: PostedPair,
    client: CheckedClient,
  ): Promise<void> {
    const begun = await secondFactor.find(ctx, owner, pair.token)
    // SPEC: security.md 39 - what was begun for one client is no pair for another, and stays good for its own.
    async function admit(): Promise<void> {
      const { id } = await client.demand()
      if (begun?.clientId !== id) throw new AuthUiError('two_factor_expired')
    }
    try {
      await secondFactor.complete(ctx, owner, 'flagship', pair, admit)
    } catch (error) {
      if (!AuthUiError.is(error)) throw error
      const { code } = error
      const isWrong = code === 'two_factor_invalid' || code === 'two_factor_expired'
      throw isWrong ? new AuthUiError(code, { status: 403, cause: error }) : error
    }
  }
}

function readPosted(ctx: RouteContext): Posted {
  const posted = readPostedTexts(ctx)
  return {
    passphrase: posted.demand('passphrase'),
    clientId: posted.demand('client_id'),
    clientSecret: posted.demand('client_secret'),
    emailVerifiedCode: posted.get('email_verified_code') ?? '',
    pair: readPostedPair(posted),
  }
}
