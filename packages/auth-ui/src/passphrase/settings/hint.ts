import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../../errors.ts'
import { onboardedOwner } from '../../owner/onboarded-owner.ts'
import type { Owner } from '../../owner/owner.ts'
import type { OwnerStore } from '../../owner/owner-store.ts'
import type { RateLimits } from '../../rate-limits.ts'
import { createMembersReader } from '../json-body.ts'
import { checkHintLength } from '../new-passphrase.ts'
import type { PasswordHasher } from '../password-hash.ts'
import { HINT_SCHEMA } from './passphrase.schema.ts'

/** What {@link createHintSettings} needs. */
export interface HintSettingsOptions {
  readonly owners: OwnerStore
  readonly hasher: PasswordHasher
  readonly limits: RateLimits
}

/** The hint, whose text never leaves but by mail. */
export interface HintSettings {
  /** `GET /settings/hint` */
  show(ctx: RouteContext): Promise<void>
  /** `PUT /settings/hint` */
  replace(ctx: RouteContext): Promise<void>
}

/** @see login.md 7, decision D67 */
export function createHintSettings({ owners, hasher, limits }: HintSettingsOptions): HintSettings {
  const readMembers = createMembersReader(HINT_SCHEMA)

  async function isPassphrase(owner: Owner, hint: string): Promise<boolean> {
    const loginValue = await hasher.derive(hint, owner.salt, owner.iterations)
    return (await hasher.verify(owner.passphraseHash, loginValue)).isRight
  }

  return {
    async show(ctx) {
      const owner = await onboardedOwner(owners, ctx)
      if (owner?.hint === undefined) throw new AuthUiError('not_found')
      ctx.status = 204
    },
    async replace(ctx) {
      const { instance } = ctx.state
      const hint = String(readMembers(ctx.state.json).get('hint'))
      checkHintLength(hint)
      // Whoever may set the hint could find the passphrase by trying: every hint counts.
      if (hint !== '') await limits.hit(instance, 'hint-change')
      for (;;) {
        const owner = await onboardedOwner(owners, ctx)
        if (owner === undefined) throw new AuthUiError('onboarding_needed')
        if (hint !== '' && (await isPassphrase(owner, hint))) {
          throw new AuthUiError('invalid_hint', {
            status: 422,
            description: 'the hint is the passphrase',
          })
        }
        const written = await owners.update(instance.id, ({ hint: _old, ...latest }) =>
          latest.securityStamp === owner.securityStamp
            ? { ...latest, ...(hint === '' ? {} : { hint }) }
            : undefined,
        )
        // Changed meanwhile, the passphrase is compared once more.
        if (written !== undefined) break
      }
      ctx.status = 204
    },
  }
}
