import { PASSPHRASE_LIMITS } from '../login/passphrase-limits.ts'
import { refuseBody, requireWellFormed } from '../web/posted.ts'
import { requirePermission } from '../web/caller.ts'
import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { checkPassphrase } from '../login/passphrase-check.ts'
import { AuthUiError } from '../errors.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import { CHECK_PASSPHRASE_SCHEMA, type CheckBody } from './passphrase.schema.ts'

/** Comparing a passphrase in the settings. @see login.md 7 */
export const checkPassphraseRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/settings/passphrase/check',
    handler: checkOwnPassphrase,
    auth: requirePermission('PUT', 'settings'),
    limit: PASSPHRASE_LIMITS,
    body: { types: ['json'], schema: CHECK_PASSPHRASE_SCHEMA, refuse: refuseBody },
    statuses: [204, 400, 401, 403, 412, 413, 415, 429],
    family: 'json',
    cors: 'app-origins',
    activity: ['login.failed', 'login.throttled'],
    summary: 'Tells whether a passphrase is the right one.',
    source: 'login.md 7',
  }),
]

/** 204 right, 403 wrong; counted as every wrong passphrase. */
async function checkOwnPassphrase(
  ctx: RouteContext<CheckBody>,
  services: AuthUiServices,
): Promise<void> {
  const { body = { passphrase: '' } } = ctx.state
  requireWellFormed(body)
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) throw new AuthUiError('onboarding_needed')
  try {
    await checkPassphrase(services, ctx, owner, body.passphrase)
  } catch (error) {
    if (!AuthUiError.is(error, 'invalid_passphrase')) throw error
    throw new AuthUiError('invalid_passphrase', { status: 403, cause: error })
  }
  ctx.status = 204
}
