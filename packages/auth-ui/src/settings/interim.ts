import type { RouteContext } from '@svc/platform'
import { createArrival } from '../login/arrival.ts'
import { createPassphraseCheck } from '../login/passphrase-check.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { createKnownDevices } from '../session/known-device.ts'
import type { Session } from '../session/session.ts'
import { createTransferCodes } from '../session/transfer-code.ts'
import { createRedirects, type Redirects, type RedirectTarget } from '../web/redirect-target.ts'
import { securityUrl } from '../web/security-url.ts'

/** Checks the passphrase of the owner. */
export function checkPassphraseOf(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  passphrase: string,
): Promise<void> {
  const check = createPassphraseCheck({
    ...services,
    devices: createKnownDevices(services),
    clientAddress: (request) => services.oauth.clientAddress(request),
    securityUrl: (instance) => securityUrl(services, instance),
  })
  return check.check(ctx, owner, passphrase)
}

/** Where redirects may lead. */
export function redirectsOf({ apps, options }: AuthUiServices): Redirects {
  const { requireInstalledApp, homeSlug } = options
  return createRedirects({ apps, requireInstalledApp, homeSlug })
}

/** The `Location` of a target. */
export function locateTarget(
  services: AuthUiServices,
  ctx: RouteContext,
  target: RedirectTarget,
  session: Session,
): Promise<string> {
  return createArrival(createTransferCodes(services)).locate(ctx, target, session, 'keep')
}
