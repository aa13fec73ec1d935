import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../../errors.ts'
import type { PassphraseCheck } from '../../login/passphrase-check.ts'
import { onboardedOwner } from '../../owner/onboarded-owner.ts'
import type { OwnerStore } from '../../owner/owner-store.ts'
import { createMembersReader } from '../json-body.ts'
import { CHECK_PASSPHRASE_SCHEMA } from './passphrase.schema.ts'

/** What {@link createCheckPassphrase} needs. */
export interface CheckPassphraseOptions {
  readonly owners: OwnerStore
  readonly passphrases: PassphraseCheck
}

/** `POST /settings/passphrase/check`: 204 right, 403 wrong; counted as every wrong passphrase. @see login.md 7 */
export function createCheckPassphrase({
  owners,
  passphrases,
}: CheckPassphraseOptions): (ctx: RouteContext) => Promise<void> {
  const readMembers = createMembersReader(CHECK_PASSPHRASE_SCHEMA)
  return async function checkPassphrase(ctx) {
    const passphrase = String(readMembers(ctx.state.json).get('passphrase'))
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) throw new AuthUiError('onboarding_needed')
    try {
      await passphrases.check(ctx, owner, passphrase)
    } catch (error) {
      if (!AuthUiError.is(error, 'invalid_passphrase')) throw error
      throw new AuthUiError('invalid_passphrase', { status: 403, cause: error })
    }
    ctx.status = 204
  }
}
