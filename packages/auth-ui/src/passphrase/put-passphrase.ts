import { PASSPHRASE_LIMITS, SECOND_STEP_LIMITS } from '../login/passphrase-limits.ts'
import { refuseBody, requireWellFormed } from '../web/posted.ts'
import { requirePermission } from '../web/caller.ts'
import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { openSession } from '../login/complete-login.ts'
import { startChallenge } from '../factors/second-factor.ts'
import { completeChallenge } from '../factors/challenge-answer.ts'
import { isSecondFactorOn } from '../owner/factors.ts'
import { checkPassphrase } from '../login/passphrase-check.ts'
import { describeVisitor, visitorOf } from '../web/visitor.ts'
import { changePassphrase, requireVaultKey } from './change-passphrase.ts'
import { AuthUiError } from '../errors.ts'
import { answerJson } from '../web/answer.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import type { Owner } from '../owner/owner.ts'
import type { SessionKind } from '../session/session.ts'
import { type NewPassphrase, type PassphraseFields, readNewPassphrase } from './new-passphrase.ts'
import { requireFullSession } from '../settings/settings-owner.ts'
import { CHANGE_PASSPHRASE_SCHEMA, type ChangeBody } from './passphrase.schema.ts'

/** `PUT /settings/passphrase`; texts that are absent are empty. */
interface PostedChange {
  readonly currentPassphrase: string
  readonly isForced: boolean
  readonly twoFactorToken: string
  readonly twoFactorPasscode: string
  /** Whether the body says anything about the hint. */
  readonly hasHint: boolean
  readonly fields: PassphraseFields
}

/** Replacing the passphrase in the settings. @see login.md 7, 7.1 */
export const putPassphraseRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'PUT',
    path: '/settings/passphrase',
    handler: putPassphrase,
    auth: requirePermission('PUT', 'settings'),
    limit: [...PASSPHRASE_LIMITS, ...SECOND_STEP_LIMITS],
    body: { types: ['json'], schema: CHANGE_PASSPHRASE_SCHEMA, refuse: refuseBody },
    statuses: [200, 204, 400, 401, 403, 412, 413, 415, 422, 429],
    family: 'json',
    cors: 'app-origins',
    activity: ['passphrase.changed', 'login.succeeded', 'login.failed', 'login.throttled'],
    summary: 'Replaces the passphrase; with a second factor in two calls.',
    source: 'login.md 7, 7.1',
  }),
]

/**
 * One call, or two when the second factor is on: the first proves the passphrase and gets a token, the second brings
 * the new passphrase with token and code.
 */
async function putPassphrase(
  ctx: RouteContext<ChangeBody>,
  services: AuthUiServices,
): Promise<void> {
  const { instance } = ctx.state
  const posted = readChange(ctx.state.body ?? {})
  await requireFullSession(services, ctx)
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) throw new AuthUiError('onboarding_needed')
  const passphrase = await prove(services, ctx, owner, posted)
  if (passphrase === undefined) return
  const live = await services.sessionMiddleware.current(ctx)
  const changed = await changePassphrase(services, instance, {
    how: 'settings',
    passphrase,
    keepsHint: await keepsHint(services, owner, posted, passphrase),
    require: (latest) => {
      // What was proven is about the passphrase of then.
      if (latest.securityStamp !== owner.securityStamp) {
        throw new AuthUiError('invalid_passphrase', { status: 400 })
      }
      requireVaultKey(latest, passphrase)
    },
    facts: await describeVisitor(services, visitorOf(services, ctx)),
  })
  if (live !== undefined) await openAnew(services, ctx, changed, live.kind)
  ctx.status = 204
}

/** The first factor. @throws AuthUiError 400 `invalid_passphrase`, `invalid_parameter` */
async function proveFirst(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  posted: PostedChange,
): Promise<void> {
  if (posted.isForced) {
    if (owner.passwordDefined === false) return
    throw new AuthUiError('invalid_parameter', { description: 'there is a passphrase already' })
  }
  try {
    await checkPassphrase(services, ctx, owner, posted.currentPassphrase)
  } catch (error) {
    throw toBadRequest(error, 'invalid_passphrase')
  }
}

async function readNew(
  services: AuthUiServices,
  owner: Owner,
  { fields }: PostedChange,
): Promise<NewPassphrase> {
  const passphrase = await readNewPassphrase(fields, owner.salt, {
    hasher: services.hasher,
    allowRaw: services.options.passphrase.allowRaw,
  })
  requireVaultKey(owner, passphrase)
  return passphrase
}

/** What the request proves it may store; undefined: it only asked for the second step, and is answered. */
async function prove(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  posted: PostedChange,
): Promise<NewPassphrase | undefined> {
  const isOn = isSecondFactorOn(owner.factors)
  if (isOn && posted.twoFactorToken !== '') {
    // Read first: a pair is not used up by a request that fails anyway.
    const passphrase = await readNew(services, owner, posted)
    const { twoFactorToken: token, twoFactorPasscode: passcode } = posted
    try {
      await completeChallenge(services, visitorOf(services, ctx), owner, 'passphrase', {
        token,
        passcode,
      })
    } catch (error) {
      throw toBadRequest(error, 'two_factor_invalid', 'two_factor_expired')
    }
    return passphrase
  }
  await proveFirst(services, ctx, owner, posted)
  if (!isOn) return readNew(services, owner, posted)
  const { token } = await startChallenge(services, visitorOf(services, ctx), owner, {
    purpose: 'passphrase',
  })
  answerJson(ctx, { two_factor_token: token })
  return undefined
}

/** D67: the old hint stays unless it happens to be the new passphrase. */
async function keepsHint(
  services: AuthUiServices,
  owner: Owner,
  posted: PostedChange,
  { loginValue, iterations }: NewPassphrase,
): Promise<boolean> {
  if (posted.hasHint) return false
  if (owner.hint === undefined) return true
  const hint = owner.hint.normalize('NFC')
  return (await services.hasher.derive(hint, owner.salt, iterations)) !== loginValue
}

/** The passphrase is changed already: without a new session the owner logs in again, no more. */
async function openAnew(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  kind: SessionKind,
): Promise<void> {
  try {
    services.sessionMiddleware.forget(ctx)
    await openSession(services, ctx, owner, {
      kind,
      method: 'passphrase_change',
      clientRegistration: false,
    })
  } catch (cause) {
    services.log.error('passphrase.session_missing', { cause: String(cause) })
    ctx.remove('Set-Cookie')
  }
}

/** SPEC: login.md 7 - here what was wrong is a 400: the bearer itself was right. */
function toBadRequest(error: unknown, ...codes: readonly string[]): unknown {
  if (!AuthUiError.is(error) || !codes.includes(error.code)) return error
  return new AuthUiError(error.code, { status: 400, cause: error })
}

/** Keys may come in either spelling (login.md 7). @throws AuthUiError `invalid_parameter` */
function readChange(body: ChangeBody): PostedChange {
  requireWellFormed(body)
  const either = (name: 'private_key' | 'public_key', alias: 'privateKey' | 'publicKey') => {
    const { [name]: first = '', [alias]: second = '' } = body
    if (first !== '' && second !== '' && first !== second) {
      throw new AuthUiError('invalid_parameter', { description: `${name} is given twice` })
    }
    return first || second
  }
  return {
    currentPassphrase: body.current_passphrase ?? '',
    isForced: body.force === true,
    twoFactorToken: body.two_factor_token ?? '',
    twoFactorPasscode: body.two_factor_passcode ?? '',
    hasHint: body.hint !== undefined,
    fields: {
      passphrase: body.new_passphrase ?? '',
      hint: body.hint ?? '',
      iterations: String(body.iterations ?? ''),
      key: body.key ?? '',
      publicKey: either('public_key', 'publicKey'),
      privateKey: either('private_key', 'privateKey'),
    },
  }
}
