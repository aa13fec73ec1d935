import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { readNewPassphrase } from '../passphrase/new-passphrase.ts'
import { invalidRegisterToken, type Onboard } from '../passphrase/onboard.ts'
import type { PasswordHasher } from '../passphrase/password-hash.ts'
import { createPostedReader } from '../passphrase/posted-passphrase.ts'
import { readPostedTexts } from '../web/posted-texts.ts'
import type { AnswerClient } from './answer-client.ts'
import type { ClientCheck } from './client-check.ts'

/** What {@link createFlagshipOnboarding} needs. */
export interface FlagshipOnboardingOptions {
  readonly owners: OwnerStore
  readonly onboard: Onboard
  readonly hasher: PasswordHasher
  readonly checkClient: ClientCheck
  readonly answerClient: AnswerClient
  /** The owner, when the token can onboard; wrong ones are counted. */
  readonly checkRegisterToken: (ctx: RouteContext, token: string) => Promise<Owner | undefined>
}

/** `POST /settings/passphrase/flagship`: the first passphrase, chosen in an app. Never sets a cookie. @see login.md 5.5 */
export function createFlagshipOnboarding(
  options: FlagshipOnboardingOptions,
): (ctx: RouteContext) => Promise<void> {
  const { owners, onboard, hasher, checkClient, answerClient, checkRegisterToken } = options
  const readPosted = createPostedReader()

  return async function onboardFlagship(ctx) {
    const { instance } = ctx.state
    const texts = readPostedTexts(ctx)
    const credentials = {
      clientId: texts.demand('client_id'),
      clientSecret: texts.demand('client_secret'),
    }
    const { registerToken, fields } = readPosted(ctx)
    if (fields.iterations === '' || fields.iterations === '0') {
      throw new AuthUiError('invalid_parameter', { description: 'iterations are mandatory' })
    }
    if ((await owners.get(instance.id))?.owner.onboardedAt !== undefined) {
      throw new AuthUiError('already_onboarded')
    }
    const known = await checkRegisterToken(ctx, registerToken)
    if (known === undefined) throw invalidRegisterToken()
    // Before the token is used up: a typo in the client's credentials costs nothing.
    const client = await (await checkClient(ctx, credentials)).demand()
    const passphrase = await readNewPassphrase(fields, known.salt, { hasher, allowRaw: false })
    const owner = await onboard(instance, registerToken, passphrase)
    await answerClient(ctx, owner, { client, method: 'registration' })
  }
}
