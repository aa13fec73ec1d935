import { systemClock } from '@svc/store'
import type * as oauth from 'oauth4webapi'
import type { AccountType } from '../account-types/account-type.ts'
import type { ProviderServices } from '../services.ts'
import { findIssuer, providerFetch } from './discovery.ts'

const MAX_SUBJECT_CHARACTERS = 255
const CLOCK_TOLERANCE_S = 60

/**
 * `sub` of an id token that holds; undefined otherwise, with a warning where the issuer is known.
 * @param idToken - undefined: none came
 * @see connectors.md 6.3 (10); OpenID Connect Core 3.1.3.7
 */
export async function readSubject(
  services: ProviderServices,
  type: AccountType,
  idToken: string | undefined,
  nonce: string | undefined,
): Promise<string | undefined> {
  if (type.issuer === undefined) return undefined
  try {
    if (idToken === undefined) throw new Error('no id token')
    const issuer = await findIssuer(services, type)
    if (issuer === undefined) throw new Error('no metadata')
    return await checkedSubject(services, type, issuer.server, idToken, nonce)
  } catch (error) {
    services.log.warn('provider.id_token_refused', { type: type.id, reason: codeOf(error) })
    return undefined
  }
}

async function checkedSubject(
  services: ProviderServices,
  type: AccountType,
  server: oauth.AuthorizationServer,
  idToken: string,
  nonce: string | undefined,
): Promise<string> {
  const library = await import('oauth4webapi')
  const client: oauth.Client = {
    client_id: type.clientId,
    [library.clockSkew]: Math.round((services.clock.now() - systemClock.now()) / 1000),
    [library.clockTolerance]: CLOCK_TOLERANCE_S,
  }
  // Only the id token matters: providers' other members are not as strict as the library is.
  const response = Response.json({ access_token: '-', token_type: 'bearer', id_token: idToken })
  const answer =
    nonce === undefined
      ? await library.processRefreshTokenResponse(server, client, response)
      : await library.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        })
  await library.validateApplicationLevelSignature(server, response, {
    [library.customFetch]: providerFetch(services, type, 'keys'),
    [library.allowInsecureRequests]: type.isTrustedNetwork,
  })
  const subject = library.getValidatedIdTokenClaims(answer)?.sub ?? ''
  if (subject === '' || subject.length > MAX_SUBJECT_CHARACTERS) throw new Error('no subject')
  return subject
}

/** The library's messages may carry claims. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown'
}
