import type { Instance } from '@svc/platform'
import type { Client } from '../clients/client.ts'
import { bowser } from '../registration/bowser.ts'
import { markAllowed } from '../registration/change-client.ts'
import type { OAuthServices } from '../services.ts'
import { shownOf } from './consent-seal.ts'
import { authorizeError } from './page-texts.ts'

/**
 * Notes that the owner allowed the client, with the system of the browser it was done with. To be called before the
 * client gets its code: from here on the clean-up of pending clients leaves this one alone.
 * @param seen.shown - the client as the owner was shown it
 * @throws OAuthError 400 when the client is gone or says something else about itself by now, `client_limit` when it must
 * be within the limit and is not
 */
export async function allowClient(
  services: OAuthServices,
  instance: Instance,
  id: string,
  {
    userAgent,
    shown,
    ...where
  }: {
    readonly userAgent: string
    readonly withinLimit: boolean
    readonly redirectUri?: string
    readonly shown?: Client
  },
): Promise<Client> {
  const os = osOfUserAgent(userAgent)
  const check = (stored: Client): void => {
    if (shown !== undefined && shownOf(stored) !== shownOf(shown)) {
      throw authorizeError('consentMismatch')
    }
  }
  const client = await markAllowed(services, instance, id, { ...where, os, check })
  if (client === undefined) throw authorizeError('clientUnknown')
  return client
}

/** A longer header is no browser's; the parser's expressions see only this much of it. */
const MAX_LENGTH = 512

/** Operating system named by a `User-Agent`, such as `Windows`, `macOS` or `Android`; undefined when it names none. */
export function osOfUserAgent(userAgent: string): string | undefined {
  if (userAgent === '') return undefined
  return bowser().getParser(userAgent.slice(0, MAX_LENGTH)).getOSName() || undefined
}
