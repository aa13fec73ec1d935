import type { Instance } from '@svc/platform'
import { passkeyUser, relyingParty } from '../factors/passkeys.ts'
import { isFirstWay, type Passkey } from '../owner/factors.ts'
import { isoTime } from './json-api.ts'

/** Never a key. `trusted` is false where a reset suspended what logged in before. */
export function passkeyToWire(
  passkey: Passkey,
  { origin }: Pick<Instance, 'origin'>,
  securityStamp: string,
): Readonly<Record<string, unknown>> {
  const { id, label, firstWay = false, deviceType, backedUp, rpId } = passkey
  const isElsewhere = rpId !== undefined && rpId !== new URL(origin).hostname
  return {
    id,
    label,
    ...times(passkey),
    first_way: isFirstWay(passkey, securityStamp) && !isElsewhere,
    trusted: !firstWay || isFirstWay(passkey, securityStamp),
    ...(deviceType === undefined ? {} : { synced: deviceType === 'multiDevice' }),
    ...(backedUp === undefined ? {} : { backed_up: backedUp }),
    ...(isElsewhere ? { only_for: rpId } : {}),
  }
}

/** For the password manager of the browser: as whose it keeps the passkeys. @see owner.md 2.5 */
export function passkeyUserToWire(instance: Instance): Readonly<Record<string, string>> {
  const { id, name, displayName } = passkeyUser(instance)
  return { rp_id: relyingParty(instance), id, name, display_name: displayName }
}

/** When something was made and used last. */
export function times(used: {
  readonly createdAt: number
  readonly lastUsed?: number
}): Readonly<Record<string, string>> {
  return {
    created_at: isoTime(used.createdAt),
    ...(used.lastUsed === undefined ? {} : { last_used: isoTime(used.lastUsed) }),
  }
}
