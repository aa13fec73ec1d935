import { prefersJson } from '@svc/platform'
import { isPublic } from '../clients/client.ts'
import { OAuthError } from '../errors.ts'
import { type OAuthServices, pagesOf, sessionOf } from '../services.ts'
import type { AuthorizeDraft } from './authorize-request.ts'
import { checkProven, isOversized } from './checks.ts'
import { findDescribed, isDescribed } from './described-client.ts'
import { AUTHORIZE_TEXTS } from './page-texts.ts'
import { answersByItself, errorLocation, leaveTo } from './redirect.ts'

// Programs of today wait for the answer to a request that has a fault: the browser brings it to them.

/**
 * Answers a request that a check refused, where its client is told: a client without a secret, or one that names a
 * resource, at a web address. Login comes first. To an https address the redirect happens by itself only if the owner
 * allowed the client before; else the page of the error has a button with the same answer.
 * @returns false: the page of the error is the answer
 * @see decision D92
 */
export async function tellFault(
  draft: AuthorizeDraft,
  services: OAuthServices,
  error: unknown,
): Promise<boolean> {
  const { ctx, parameters } = draft
  if (!OAuthError.is(error, 'invalid_request', 'invalid_scope', 'invalid_target')) return false
  const isPage = ctx.method !== 'POST'
  if (isOversized(error) || (isPage && prefersJson(ctx))) return false
  const redirectUri = parameters.text('redirect_uri')
  if (answersByItself(redirectUri) === undefined || services.resources.isEmpty) return false
  const session = await sessionOf(ctx, services)
  if (session === undefined && !isPage) return false
  try {
    await checkProven(draft, services)
    if (isDescribed(draft, services)) {
      // Only for an owner who is logged in is anything fetched.
      if (session === undefined) return await login(draft, services)
      draft.client ??= (await findDescribed(services, draft.instance, parameters)).client
      await checkProven(draft, services)
    }
  } catch (unproven) {
    if (!OAuthError.is(unproven)) throw unproven
    return false
  }
  const { client } = draft
  if (client === undefined) return false
  if (!isPublic(client) && parameters.text('resource') === '') return false
  if (session === undefined) return login(draft, services)
  const { instance } = draft
  const state = parameters.text('state')
  const location = errorLocation({ redirectUri, state, instance }, codeOf(draft, error))
  if (answersByItself(redirectUri) === 'always' || !client.pending) leaveTo(ctx, location)
  else if (prefersJson(ctx)) return false
  else {
    ctx.status = error.status
    await pagesOf(services).error(ctx, error, { href: location, host: new URL(redirectUri).host })
  }
  return true
}

async function login({ ctx }: AuthorizeDraft, services: OAuthServices): Promise<true> {
  await pagesOf(services).login(ctx)
  return true
}

/** SPEC: RFC 6749 4.1.2.1; pages have one text for a response type that is missing and one that is unknown. */
function codeOf({ parameters }: AuthorizeDraft, { code, description }: OAuthError): string {
  const isOfType = description === AUTHORIZE_TEXTS.invalidResponseType
  return isOfType && parameters.text('response_type') !== '' ? 'unsupported_response_type' : code
}
