import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { provePasskey } from '../factors/passkey-proof.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { visitorOf } from '../web/visitor.ts'

interface UsedPasskey {
  readonly owner: Owner
  /** Since when the owner has it, milliseconds since the epoch. */
  readonly since: number
}

/**
 * Takes the passkey that a form brings in place of passphrase and second step of a confirmation. Counter and challenge
 * are one write: of any number of parallel uses one passes.
 * @throws AuthUiError `passkey_expired`, `passkey_invalid`, `passkey_unknown`, `rate_limited`
 */
export async function usePasskey(
  services: AuthUiServices,
  ctx: RouteContext,
): Promise<UsedPasskey> {
  const answer = {
    purpose: 'confirm',
    csrfTokens: await services.csrf.known(ctx),
    credential: ctx.state.form.text('credential'),
  } as const
  for (;;) {
    const { owner, passkey, changes } = await provePasskey(
      services,
      visitorOf(services, ctx),
      answer,
    )
    const result = await services.store.write(changes)
    if (result.written) return { owner, since: passkey.createdAt }
    // Another change of the owner's record was faster: what it left decides.
    if (result.failed !== changes[1].key) throw new AuthUiError('passkey_expired')
  }
}
