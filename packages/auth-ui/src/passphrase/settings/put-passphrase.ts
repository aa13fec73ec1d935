import type { Logger, RouteContext } from '@svc/platform'
import { AuthUiError } from '../../errors.ts'
import type { SecondFactor } from '../../factors/bound.ts'
import { answerJson } from '../../web/answer.ts'
import type { SessionOpener } from '../../login/open-session.ts'
import type { PassphraseCheck } from '../../login/passphrase-check.ts'
import { onboardedOwner } from '../../owner/onboarded-owner.ts'
import type { Owner } from '../../owner/owner.ts'
import type { OwnerStore } from '../../owner/owner-store.ts'
import type { DescribeRequest } from '../../web/request-facts.ts'
import type { SessionCarrier } from '../../session/session-carrier.ts'
import { type ChangePassphrase, demandVaultKey } from '../change-passphrase.ts'
import { type NewPassphrase, readNewPassphrase } from '../new-passphrase.ts'
import type { PasswordHasher } from '../password-hash.ts'
import { createChangeReader, type PostedChange } from './posted-change.ts'

/** What {@link createPutPassphrase} needs. */
export interface PutPassphraseOptions {
  readonly owners: OwnerStore
  readonly changePassphrase: ChangePassphrase
  readonly passphrases: PassphraseCheck
  readonly secondFactor: SecondFactor
  readonly hasher: PasswordHasher
  readonly allowRaw: boolean
  readonly carrier: SessionCarrier
  readonly opener: SessionOpener
  readonly describeRequest: DescribeRequest
  readonly log: Logger
}

/**
 * `PUT /settings/passphrase`, in one call, or in two when the second factor is on: the first proves the passphrase and
 * gets a token, the second brings the new passphrase with token and code. @see login.md 7, 7.1
 */
export function createPutPassphrase(
  options: PutPassphraseOptions,
): (ctx: RouteContext) => Promise<void> {
  const { owners, changePassphrase, passphrases, secondFactor, hasher, allowRaw } = options
  const { carrier, opener, describeRequest, log } = options
  const readChange = createChangeReader()

  /** The first factor. @throws AuthUiError 400 `invalid_passphrase`, `invalid_parameter` */
  async function proveFirst(ctx: RouteContext, owner: Owner, posted: PostedChange): Promise<void> {
    if (posted.isForced) {
      if (owner.passwordDefined === false) return
      throw new AuthUiError('invalid_parameter', { description: 'there is a passphrase already' })
    }
    try {
      await passphrases.check(ctx, owner, posted.currentPassphrase)
    } catch (error) {
      throw toBadRequest(error, 'invalid_passphrase')
    }
  }

  async function readNew(owner: Owner, { fields }: PostedChange): Promise<NewPassphrase> {
    const passphrase = await readNewPassphrase(fields, owner.salt, { hasher, allowRaw })
    demandVaultKey(owner, passphrase)
    return passphrase
  }

  /** What the request proves it may store; undefined: it only asked for the second step, and is answered. */
  async function prove(
    ctx: RouteContext,
    owner: Owner,
    posted: PostedChange,
  ): Promise<NewPassphrase | undefined> {
    const isOn = secondFactor.isOn(owner)
    if (isOn && posted.twoFactorToken !== '') {
      // Judged first: a pair is not used up by a request that fails anyway.
      const passphrase = await readNew(owner, posted)
      const { twoFactorToken: token, twoFactorPasscode: passcode } = posted
      try {
        await secondFactor.complete(ctx, owner, 'passphrase', { token, passcode })
      } catch (error) {
        throw toBadRequest(error, 'two_factor_invalid', 'two_factor_expired')
      }
      return passphrase
    }
    await proveFirst(ctx, owner, posted)
    if (!isOn) return readNew(owner, posted)
    const { token } = await secondFactor.begin(ctx, owner, { purpose: 'passphrase' })
    answerJson(ctx, { two_factor_token: token })
    return undefined
  }

  /** D67: the old hint stays unless it happens to be the new passphrase. */
  async function keepsHint(
    owner: Owner,
    posted: PostedChange,
    { loginValue, iterations }: NewPassphrase,
  ): Promise<boolean> {
    if (posted.hasHint) return false
    if (owner.hint === undefined) return true
    return (await hasher.derive(owner.hint, owner.salt, iterations)) !== loginValue
  }

  /** The passphrase is changed already: without a new session the owner logs in again, no more. */
  async function openAnew(ctx: RouteContext, owner: Owner, kind: 'short' | 'normal' | 'long') {
    try {
      carrier.forget(ctx)
      await opener.open(ctx, owner, {
        kind,
        method: 'passphrase_change',
        clientRegistration: false,
      })
    } catch (cause) {
      log.error('passphrase.session_missing', { cause: String(cause) })
      ctx.remove('Set-Cookie')
    }
  }

  return async function putPassphrase(ctx) {
    const { instance } = ctx.state
    const posted = readChange(ctx)
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) throw new AuthUiError('onboarding_needed')
    const passphrase = await prove(ctx, owner, posted)
    if (passphrase === undefined) return
    const live = await carrier.current(ctx)
    const changed = await changePassphrase(instance, {
      how: 'settings',
      passphrase,
      keepsHint: await keepsHint(owner, posted, passphrase),
      demand: (latest) => {
        // What was proven is about the passphrase of then.
        if (latest.securityStamp !== owner.securityStamp) {
          throw new AuthUiError('invalid_passphrase', { status: 400 })
        }
        demandVaultKey(latest, passphrase)
      },
      facts: await describeRequest(ctx),
    })
    if (live !== undefined) await openAnew(ctx, changed, live.kind)
    ctx.status = 204
  }
}

/** SPEC: login.md 7 - here what was wrong is a 400: the bearer itself was right. */
function toBadRequest(error: unknown, ...codes: readonly string[]): unknown {
  if (!AuthUiError.is(error) || !codes.includes(error.code)) return error
  return new AuthUiError(error.code, { status: 400, cause: error })
}
