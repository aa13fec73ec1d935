import { noteOwn } from '../web/activity.ts'
import { refuseBody, requireWellFormed } from '../web/posted.ts'
import { requirePermission } from '../web/caller.ts'
import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { AuthUiError } from '../errors.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import type { Owner } from '../owner/owner.ts'
import { checkHintLength } from './new-passphrase.ts'
import { HINT_SCHEMA, type HintBody } from './passphrase.schema.ts'

/** The hint, whose text never leaves but by mail. @see login.md 7, decision D67 */
export const hintRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/hint',
    handler: showHint,
    auth: requirePermission('GET', 'settings'),
    statuses: [204, 400, 401, 403, 404],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Tells whether there is a hint, never its text.',
    source: 'login.md 7',
  }),
  defineRoute({
    method: 'PUT',
    path: '/settings/hint',
    handler: putHint,
    auth: requirePermission('PUT', 'settings'),
    limit: [{ bucket: 'hint-change', inRule: 'hints that are not empty; asked in putHint' }],
    body: { types: ['json'], schema: HINT_SCHEMA, refuse: refuseBody },
    statuses: [204, 400, 401, 403, 412, 413, 415, 422, 429],
    family: 'json',
    cors: 'app-origins',
    activity: 'hint.changed',
    summary: 'Replaces the hint.',
    source: 'login.md 7',
  }),
]

async function showHint(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner?.hint === undefined) throw new AuthUiError('not_found')
  ctx.status = 204
}

async function putHint(ctx: RouteContext<HintBody>, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  const { body = { hint: '' } } = ctx.state
  requireWellFormed(body)
  const { hint } = body
  checkHintLength(hint)
  // Whoever may set the hint could find the passphrase by trying: every hint counts.
  if (hint !== '') await services.limits.hit(instance, 'hint-change')
  const note = noteOwn(services, ctx, { event: 'hint.changed' })
  for (;;) {
    const owner = await onboardedOwner(services, ctx.state.instance)
    if (owner === undefined) throw new AuthUiError('onboarding_needed')
    if (hint !== '' && (await isPassphrase(services, owner, hint))) {
      throw new AuthUiError('invalid_hint', {
        status: 422,
        description: 'the hint is the passphrase',
      })
    }
    const written = await services.owners.update(
      instance.id,
      ({ hint: _old, ...latest }) =>
        latest.securityStamp === owner.securityStamp
          ? { ...latest, ...(hint === '' ? {} : { hint }) }
          : undefined,
      note,
    )
    // Changed meanwhile, the passphrase is compared once more.
    if (written !== undefined) break
  }
  ctx.status = 204
}

async function isPassphrase(
  services: AuthUiServices,
  owner: Owner,
  hint: string,
): Promise<boolean> {
  // New passphrases are NFC, older ones are as they were typed.
  for (const spelling of new Set([hint, hint.normalize('NFC')])) {
    const loginValue = await services.hasher.derive(spelling, owner.salt, owner.iterations)
    if ((await services.hasher.verify(owner.passphraseHash, loginValue)).isRight) return true
  }
  return false
}
