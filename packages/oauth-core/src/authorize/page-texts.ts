import { OAuthError, type OAuthErrorCode } from '../errors.ts'

/**
 * What the error pages of the authorization endpoint say. The English text is the description of the error, so that
 * the user interface can find its translation by it.
 * @see oauth.md 5.1
 */
export const AUTHORIZE_TEXTS = {
  appNotFound: 'Cannot find application on instance registries',
  assistantsRefused: 'No assistant may connect here: this was switched off in the settings',
  challengeMandatory: 'The code_challenge parameter is mandatory',
  challengeMissing:
    'The code_challenge parameter must be given when code_challenge_method is present',
  clientAddressInvalid: 'The client_id is not a valid address',
  clientMissing: 'The client_id parameter is mandatory',
  clientUnknown: 'The client must be registered',
  consentMismatch: 'The form does not match the page it was sent from',
  invalidChallenge: 'Invalid challenge code method',
  invalidParameter: 'A parameter holds characters that are not allowed',
  invalidResponseType: 'Invalid response type',
  invalidScope: 'Invalid scope',
  nothingChosen: 'No permission was chosen',
  notCertified: 'This app has to be certified first',
  pkceMandatory: 'This app must use PKCE (S256)',
  redirectMismatch: "The redirect_uri parameter doesn't match the registered ones",
  redirectMissing: 'The redirect_uri parameter is mandatory',
  resourceUnknown: 'This app asks for something that is not here',
  sharingGone: 'This item is no longer available',
  sharingMissing: 'The sharing_id parameter is mandatory',
  scopeMissing: 'The scope parameter is mandatory',
  stateMissing: 'The state parameter is mandatory',
  stateNeeded: 'This app did not send a state, which this server needs',
  stateTooLong: 'The state parameter is too long',
  tooLong: 'The request is too long',
  unsupportedParameter: 'A parameter of the request is not supported',
} as const

export type AuthorizeText = keyof typeof AUTHORIZE_TEXTS

/** A 400 page; whether its client is told is decided behind all checks. @see decision D92 */
export function authorizeError(text: AuthorizeText): OAuthError {
  return new OAuthError(codeOf(text), { description: AUTHORIZE_TEXTS[text] })
}

/** The 403 page of a form for everything whose client is not certified, or not any more. @see oauth.md 5.5 */
export function notCertified(): OAuthError {
  return new OAuthError('access_denied', { description: AUTHORIZE_TEXTS.notCertified })
}

function codeOf(text: AuthorizeText): OAuthErrorCode {
  if (text === 'assistantsRefused') return 'access_denied'
  // Alone among them it is cured by the page's being shown again.
  if (text === 'consentMismatch') return 'consent_outdated'
  if (text === 'nothingChosen') return 'nothing_chosen'
  if (text === 'resourceUnknown') return 'invalid_target'
  return text === 'invalidScope' || text === 'scopeMissing' ? 'invalid_scope' : 'invalid_request'
}
