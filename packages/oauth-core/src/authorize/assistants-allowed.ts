import type { Instance } from '@svc/platform'
import { mayConnect } from '../assistants/preferences.ts'
import type { OAuthServices } from '../services.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { authorizeError } from './page-texts.ts'

/** @throws OAuthError the 403 page of an owner who lets no assistant connect. @see assistants.md 5.6 */
export async function refuseUnlessAllowed(
  services: Pick<OAuthServices, 'store'>,
  instance: Instance,
  { resource }: Pick<AuthorizeRequest, 'resource'>,
): Promise<void> {
  if (resource === undefined || (await mayConnect(services, instance))) return
  throw authorizeError('assistantsRefused')
}
