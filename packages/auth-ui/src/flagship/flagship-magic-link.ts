import { APP_PASSPHRASE_LIMITS, SESSION_CODE_LIMITS } from '../login/passphrase-limits.ts'
import { defineRoute, provedInHandler, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import {
  checkPassphraseOfLink,
  requireMagicCode,
  useUpMagicCode,
} from '../magic-link/magic-code.ts'
import { isSecondFactorOn } from '../owner/factors.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { readPostedTexts, refuseTexts } from '../web/posted.ts'
import { answerClient, checkClient } from './flagship-client.ts'
import { FLAGSHIP_MAGIC_LINK_SCHEMA } from './flagship.schema.ts'

/** An app logs in with a magic code. Never sets a cookie; only a success uses the code up. @see login.md 5.3 */
export const flagshipMagicLinkRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/auth/magic_link/flagship',
    handler: logInWithMagicCode,
    auth: provedInHandler(['client secret', 'code'], 'flagship/flagship-magic-link.ts'),
    body: { types: ['json'], schema: FLAGSHIP_MAGIC_LINK_SCHEMA, refuse: refuseTexts },
    statuses: [200, 202, 400, 401, 403, 412, 413, 415, 429],
    family: 'json',
    limit: [
      { bucket: 'magic-link', inRule: 'wrong codes, counted before they are looked up' },
      { bucket: 'magic-code-passphrase', inRule: 'wrong passphrases beside a good code' },
      ...APP_PASSPHRASE_LIMITS,
      ...SESSION_CODE_LIMITS,
    ],
    activity: ['flagship.login', 'session_code.made', 'login.failed'],
    summary: 'Logs an app in with a magic code.',
    source: 'login.md 5.3',
  }),
]

async function logInWithMagicCode(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const posted = readPostedTexts(ctx)
  const code = posted.require('magic_code')
  const credentials = {
    clientId: posted.require('client_id'),
    clientSecret: posted.require('client_secret'),
  }
  const passphrase = posted.get('passphrase') ?? ''
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) throw new AuthUiError('onboarding_needed')
  await requireMagicCode(services, ctx, owner, code)
  if (isSecondFactorOn(owner.factors)) {
    await requirePassphrase(services, ctx, owner, code, passphrase)
  }
  const client = await (await checkClient(services, ctx, credentials)).require()
  const redeem = (): Promise<void> => useUpMagicCode(services, ctx, owner, code)
  await answerClient(services, ctx, owner, { client, method: 'magic_link', redeem })
}

/** Absent: refused without being counted. */
async function requirePassphrase(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  code: string,
  passphrase: string,
): Promise<void> {
  if (passphrase === '') throw new AuthUiError('passphrase_required')
  try {
    await checkPassphraseOfLink(services, ctx, owner, code, passphrase)
  } catch (error) {
    const isWrong = AuthUiError.is(error, 'invalid_passphrase')
    throw isWrong ? new AuthUiError('passphrase_required', { cause: error }) : error
  }
}
