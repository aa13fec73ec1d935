import { type CodedError, defineErrors, type ErrorClass } from '@svc/platform'

/**
 * Every error this package answers with.
 * @example
 * const { status, text } = ERRORS.already_onboarded
 */
export const ERRORS = {
  already_onboarded: {
    status: 400,
    description: 'the instance has an owner already',
    text: 'The owner has chosen a passphrase before. Log in with it.',
    source: 'login.md 5.5',
  },
  bad_address: {
    status: 400,
    description: 'not one plain mail address',
    text: 'The new mail address is not one plain address, or is longer than 254 bytes.',
    source: 'owner.md 1.3',
  },
  bad_phone: {
    status: 400,
    description: 'not an international phone number',
    text: 'The phone number names no country (`+` and its code), or no phone can have it.',
    source: 'owner.md 1.9',
  },
  bad_redirect: {
    status: 400,
    description: 'bad url',
    text: 'The address to go on to is neither on this instance nor of an installed app; the description names the rule.',
    source: 'login.md 4.6',
  },
  busy: {
    status: 503,
    description: 'too many passphrases are being checked',
    text: 'More passphrases are being checked than the machine can. Try again after `Retry-After`.',
    source: 'login.md 3.2',
  },
  confirmation_required: {
    status: 403,
    description: 'a fresh confirmation is needed',
    text: 'The owner has to confirm with the passphrase first, and the confirmation has to come along.',
    source: 'security.md 37',
  },
  changed_since: {
    status: 409,
    description: 'it was changed since',
    text: 'Somebody else changed the same thing since. With `overwrites: true` what is there now is lost.',
    source: 'assistants.md 6.6',
  },
  conflict: {
    status: 409,
    description: 'it was changed meanwhile',
    text: 'Another request changed the same thing, or it is not in a state that allows this. Read it and try again.',
    source: 'login.md 1',
  },
  cookies_blocked: {
    status: 400,
    description: 'cookies seem to be blocked',
    text: 'The browser did not keep the cookie of this host. The owner has to allow cookies.',
    source: 'login.md 9.2',
  },
  cross_origin: {
    status: 403,
    description: 'cross-origin request',
    text: 'A form was posted from a page of another site. Nothing was done.',
    source: 'login.md 4.4',
  },
  csrf_invalid: {
    status: 403,
    description: 'invalid csrf token',
    text: 'The token of the form is not the one of this browser, or is too old. Load the page again.',
    source: 'login.md 4.4',
  },
  csrf_missing: {
    status: 400,
    description: 'missing csrf token in the form parameter',
    text: 'The form has no `csrf_token`.',
    source: 'login.md 4.4',
  },
  assistant: {
    status: 409,
    description: 'an assistant has to ask again',
    text: 'What an assistant was allowed ends when the page said. It has to ask again.',
    source: 'owner.md 3.4',
  },
  ended: {
    status: 409,
    description: 'its access has ended',
    text: 'Nothing that the client was allowed is good any more. It has to ask again.',
    source: 'owner.md 3.4',
  },
  factor_needed: {
    status: 409,
    text: 'Another factor has to be there first, so that the owner cannot be locked out; the description names it.',
    source: 'decision D63',
  },
  forbidden: {
    status: 403,
    text: 'Only the settings app of an owner who is onboarded may do this.',
    source: 'login.md 7',
  },
  held: {
    status: 409,
    text: 'The mail address was changed a moment ago. Until the change can no longer be taken back, no factor is removed, no recovery codes are made and no other address is taken; the description and `Retry-After` say until when.',
    source: 'owner.md 1.6',
  },
  invalid_client: {
    status: 400,
    description: 'the client must be registered',
    text: 'The client is not registered on this instance, or its secret is wrong.',
    source: 'login.md 5.1',
  },
  invalid_code: {
    status: 401,
    description: 'invalid code',
    text: 'The confirmation code is unknown, expired or of another confirmation.',
    source: 'login.md 6.3',
  },
  invalid_hint: {
    status: 400,
    text: 'The hint cannot be taken: it is too long, or would give the passphrase away.',
    source: 'login.md 5.5',
  },
  invalid_magic_code: {
    status: 401,
    description: 'invalid magic code',
    text: 'The mailed link was used, is too old or is not of this instance. Ask for another one.',
    source: 'login.md 5.3',
  },
  invalid_parameter: {
    status: 400,
    text: 'A member of the body or a parameter is missing, unknown or malformed; the description names it.',
    source: 'login.md 5.5',
  },
  invalid_passphrase: {
    status: 401,
    description: 'invalid passphrase',
    text: 'The passphrase is wrong.',
    source: 'login.md 5.1',
  },
  invalid_share_password: {
    status: 403,
    description: 'Invalid password',
    text: 'The password of the link is wrong.',
    source: 'oauth.md 9',
  },
  invalid_token: {
    status: 400,
    text: 'The token of the mailed link (onboarding, reset, mail address) is wrong, used or too old. Ask for another link.',
    source: 'login.md 5.5',
  },
  kdf_iterations: {
    status: 422,
    text: 'The number of iterations, with which the client derived the value, is out of range.',
    source: 'login.md 3.1',
  },
  passphrase_import_pending: {
    status: 403,
    text: 'The owner was imported and has not logged in yet: once, the passphrase itself has to be checked. The owner logs in at `url` in a browser; after that the login value counts.',
    source: 'login.md 3.1',
  },
  login_required: {
    status: 401,
    description: 'nobody is logged in on this browser',
    text: 'The link counts only in a browser in which the owner is logged in.',
    source: 'owner.md 1.4',
  },
  logout_forbidden: {
    status: 401,
    description: 'The user can logout only from client-side apps',
    text: 'Only apps of the instance may end the session of their owner.',
    source: 'login.md 5.2',
  },
  magic_link_disabled: {
    status: 404,
    description: 'magic links are not enabled',
    text: 'The owner did not switch logins by mailed link on.',
    source: 'login.md 5.3',
  },
  mail_failed: {
    status: 503,
    description: 'the mail could not be sent',
    text: 'The mail with the code or link could not be handed over. Try again after `Retry-After`.',
    source: 'login.md 5.1',
  },
  no_email: {
    status: 400,
    description: 'there is no mail address',
    text: 'Logins by mailed link need a mail address that was proven.',
    source: 'owner.md 1.1',
  },
  no_session: {
    status: 401,
    description: 'Could not retrieve session',
    text: 'Nobody is logged in on this browser.',
    source: 'login.md 5.2',
  },
  no_way_in: {
    status: 409,
    description: 'the owner could not log in any more',
    text: 'Nobody knows a passphrase of this space: what is left has to be enough to log in.',
    source: 'owner.md 2.8',
  },
  not_authorized: {
    status: 401,
    description: 'Not authorized',
    text: 'The passphrase is wrong, or the instance has no owner yet.',
    source: 'login.md 5.4',
  },
  not_found: {
    status: 404,
    description: 'not found',
    text: 'There is no such session, client, factor or permission.',
    source: 'login.md 7',
  },
  onboarding_needed: {
    status: 412,
    description: 'the instance has not been onboarded',
    text: 'The owner has to choose a passphrase first, with the mailed link.',
    source: 'login.md 4.8',
  },
  passkey_expired: {
    status: 401,
    description: 'the challenge is not good any more',
    text: 'The challenge is too old, was used, or is of another browser. Ask for another one.',
    source: 'owner.md 2.2',
  },
  passkey_invalid: {
    status: 401,
    description: 'the passkey was not accepted',
    text: 'The passkey may not log in alone, or what it signed is not right. 422: a new passkey was not accepted.',
    source: 'owner.md 2.2',
  },
  passkey_unknown: {
    status: 401,
    description: 'the passkey is not of this instance',
    text: 'No such passkey is known here: it was removed, or belongs elsewhere.',
    source: 'owner.md 2.2',
  },
  passphrase_required: {
    status: 401,
    description: 'passphrase is required as second authentication factor',
    text: 'The second factor is on: a magic code needs the passphrase beside it.',
    source: 'login.md 5.3',
  },
  phone_code_expired: {
    status: 422,
    description: 'there is no code to give any more',
    text: 'No code waits, or the one that was sent is too old, was used, or was guessed at too often. Ask for another one.',
    source: 'owner.md 1.9',
  },
  phone_code_invalid: {
    status: 422,
    description: 'wrong code',
    text: 'The code is not the one that was sent to the phone.',
    source: 'owner.md 1.9',
  },
  rate_limited: {
    status: 429,
    description: 'too many attempts',
    text: 'Too many tries, mails or codes. Try again after `Retry-After`.',
    source: 'login.md 4.7',
  },
  same_address: {
    status: 400,
    description: 'that is the address already',
    text: 'The new mail address is the one that the owner has.',
    source: 'owner.md 1.1',
  },
  text_failed: {
    status: 503,
    description: 'the text could not be sent',
    text: 'The text with the code could not be handed over. Try again after `Retry-After`.',
    source: 'owner.md 1.9',
  },
  two_factor_expired: {
    status: 401,
    description: 'this code is no longer valid, start again',
    text: 'The second step took too long, was used, or had too many wrong codes. Begin the login again.',
    source: 'login.md 5.1',
  },
  two_factor_invalid: {
    status: 401,
    description: 'wrong code',
    text: 'The code of the second step is wrong.',
    source: 'login.md 5.1',
  },
  two_factor_needed: {
    status: 403,
    description: 'two factor needed',
    text: 'The passphrase is right; send the code of the second factor beside it.',
    source: 'login.md 5.4',
  },
  two_factor_off: {
    status: 401,
    description: 'the second factor is off',
    text: 'The owner switched the second factor off meanwhile. Begin the login again.',
    source: 'login.md 5.1',
  },
} as const

/**
 * What the pages and routes of the owner refuse with: `code` of an `AuthUiError` and of the answer. Status and text are
 * those of `ERRORS`; `docs/errors.md` of the repository says what a client does about each.
 * @example
 * if (error instanceof AuthUiError && error.code === 'already_onboarded') return
 */
export type AuthUiErrorCode = keyof typeof ERRORS

/** An error of this package; `code` names a row of {@link ERRORS}. */
export const AuthUiError: ErrorClass<AuthUiErrorCode> = defineErrors('AuthUiError', ERRORS)
export type AuthUiError = CodedError<AuthUiErrorCode>
