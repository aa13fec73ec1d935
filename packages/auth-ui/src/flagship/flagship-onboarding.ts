import { SESSION_CODE_LIMITS } from '../login/passphrase-limits.ts'
import { defineRoute, provedInHandler, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { readNewPassphrase } from '../passphrase/new-passphrase.ts'
import {
  checkRegisterToken,
  invalidRegisterToken,
  onboard,
  readPosted,
} from '../passphrase/onboarding.ts'
import type { AuthUiServices } from '../services.ts'
import { readPostedTexts } from '../web/posted.ts'
import { answerClient, checkClient } from './flagship-client.ts'
import {
  FLAGSHIP_ONBOARDING_SCHEMA,
  type FlagshipOnboardingBody,
  refuseOnboarding,
} from './flagship.schema.ts'

/** The first passphrase, chosen in an app. Never sets a cookie. @see login.md 5.5 */
export const flagshipOnboardingRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/settings/passphrase/flagship',
    handler: onboardFlagship,
    auth: provedInHandler(['client secret', 'code'], 'flagship/flagship-onboarding.ts'),
    body: { types: ['json'], schema: FLAGSHIP_ONBOARDING_SCHEMA, refuse: refuseOnboarding },
    statuses: [200, 202, 400, 413, 415, 422, 429],
    family: 'json',
    limit: [
      {
        bucket: 'register-guess',
        inRule: 'wrong register tokens, counted before they are looked up',
      },
      { bucket: 'auth-ip', inRule: 'wrong client secrets of an address or client' },
      ...SESSION_CODE_LIMITS,
    ],
    activity: ['owner.onboarded', 'flagship.login', 'session_code.made'],
    summary: 'Onboards from an app: stores the first passphrase and logs the app in.',
    source: 'login.md 5.5',
  }),
]

async function onboardFlagship(
  ctx: RouteContext<FlagshipOnboardingBody>,
  services: AuthUiServices,
): Promise<void> {
  const { hasher, owners } = services
  const { instance } = ctx.state
  const texts = readPostedTexts(ctx)
  const credentials = {
    clientId: texts.require('client_id'),
    clientSecret: texts.require('client_secret'),
  }
  const { registerToken, fields } = readPosted(ctx.state.body ?? {})
  if (fields.iterations === '' || fields.iterations === '0') {
    throw new AuthUiError('invalid_parameter', { description: 'iterations are mandatory' })
  }
  if ((await owners.get(instance.id))?.owner.onboardedAt !== undefined) {
    throw new AuthUiError('already_onboarded')
  }
  const known = await checkRegisterToken(services, ctx, registerToken)
  if (known === undefined) throw invalidRegisterToken()
  // Before the token is used up: a typo in the client's credentials costs nothing.
  const client = await (await checkClient(services, ctx, credentials)).require()
  const passphrase = await readNewPassphrase(fields, known.salt, { hasher, allowRaw: false })
  const owner = await onboard(services, instance, registerToken, passphrase)
  await answerClient(services, ctx, owner, { client, method: 'registration' })
}
