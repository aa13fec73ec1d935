import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { ActivationCodes } from '../factors/activation-codes.ts'
import type { FactorChanges } from '../factors/factor-changes.ts'
import { enrolledKinds } from '../owner/factors.ts'
import type { SecondFactor } from '../factors/second-factor.ts'
import { answerJson } from '../web/answer.ts'
import type { PassphraseCheck } from '../login/passphrase-check.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { ActivateMail } from './factor-mail.ts'
import { AUTH_MODE_SCHEMA, type AuthModeBody } from './factors.schema.ts'
import { createJsonReader } from './json-body.ts'
import { ownerOf } from './settings-owner.ts'

/** What {@link createAuthMode} needs. */
export interface AuthModeOptions {
  readonly owners: OwnerStore
  readonly passphrases: PassphraseCheck
  readonly secondFactor: SecondFactor
  readonly activationCodes: ActivationCodes
  readonly activateMail: ActivateMail
  readonly factorChanges: FactorChanges
}

/** `PUT /settings/instance/auth_mode`: mailed passcodes on, or every factor off. @see login.md 7 */
export function createAuthMode(options: AuthModeOptions): (ctx: RouteContext) => Promise<void> {
  const { owners, passphrases, secondFactor, activationCodes, activateMail } = options
  const readBody = createJsonReader<AuthModeBody>(AUTH_MODE_SCHEMA)

  async function switchOn(ctx: RouteContext, owner: Owner, body: AuthModeBody): Promise<void> {
    const typed = body.two_factor_activation_code ?? ''
    if (typed !== '') return activateMail(ctx, owner, typed)
    await checkPassphrase(ctx, owner, body)
    await activationCodes.send(ctx, owner)
  }

  /** The passphrase each time, then the second factor: no way around it (security.md 37, 42). */
  async function switchOff(ctx: RouteContext, owner: Owner, body: AuthModeBody): Promise<void> {
    const passcode = readPasscode(body)
    const { two_factor_token: token = '' } = body
    await checkPassphrase(ctx, owner, body)
    if (token === '') {
      const challenge = await secondFactor.begin(ctx, owner, { purpose: 'auth_mode' })
      return answerJson(ctx, { two_factor_token: challenge.token })
    }
    await secondFactor
      .complete(ctx, owner, 'auth_mode', { token, passcode })
      .catch((error: unknown) => {
        throw asRefusedPair(error)
      })
    await options.factorChanges.apply(ctx, owner, {
      factor: enrolledKinds(owner.factors)[0] ?? 'mail',
      what: 'factor_removed',
      next: () => ({}),
    })
  }

  async function checkPassphrase(
    ctx: RouteContext,
    owner: Owner,
    { passphrase = '' }: AuthModeBody,
  ): Promise<void> {
    await passphrases.check(ctx, owner, passphrase).catch((error: unknown) => {
      // The bearer is right: a 401 would make clients fetch another.
      if (!hasCode(error, 'invalid_passphrase')) throw error
      throw new AuthUiError('invalid_passphrase', { status: 400 })
    })
  }

  return async function putAuthMode(ctx) {
    const body = readBody(ctx)
    const { auth_mode: mode } = body
    if (mode !== 'basic' && mode !== 'two_factor_mail') {
      throw new AuthUiError('invalid_parameter', { description: 'unknown auth_mode' })
    }
    const owner = await ownerOf(ctx, owners)
    ctx.status = 204
    if (secondFactor.isOn(owner) === (mode === 'two_factor_mail')) return
    if (mode === 'basic') await switchOff(ctx, owner, body)
    else await switchOn(ctx, owner, body)
  }
}

/** One field under two names. @throws AuthUiError `invalid_parameter` when they differ */
function readPasscode(body: AuthModeBody): string {
  const { two_factor_passcode: passcode, two_factor_code: code } = body
  if (passcode !== undefined && code !== undefined && passcode !== code) {
    const description = 'two_factor_passcode and two_factor_code differ'
    throw new AuthUiError('invalid_parameter', { description })
  }
  return passcode ?? code ?? ''
}

function asRefusedPair(error: unknown): unknown {
  for (const code of ['two_factor_invalid', 'two_factor_expired'] as const) {
    if (hasCode(error, code)) return new AuthUiError(code, { status: 400 })
  }
  return error
}

function hasCode(error: unknown, code: string): boolean {
  return (error as { code?: unknown }).code === code
}
