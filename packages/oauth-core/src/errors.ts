import { type CodedError, defineErrors, type ErrorClass } from '@svc/platform'

/**
 * Every error this package answers with.
 * @example
 * const { status, text } = ERRORS.access_denied
 */
export const ERRORS = {
  access_denied: {
    status: 403,
    text: 'The owner refused, or the client is not certified for all that it asks for. Ask again only when the owner wants to.',
    source: 'RFC 6749 4.1.2.1',
  },
  bad_accept_header: {
    status: 400,
    text: 'A registration is answered as JSON only. Accept `application/json`.',
    source: 'oauth.md 3.1',
  },
  bad_content_type: {
    status: 400,
    text: 'A registration has to be `application/json`.',
    source: 'oauth.md 3.1',
  },
  blocked: {
    status: 503,
    description: 'the instance is blocked',
    text: 'The operator has blocked the instance. Try again much later.',
    source: 'login.md 4.8',
  },
  client_host_refused: {
    status: 403,
    text: 'The operator does not let apps of the host connect that the client is described at.',
    source: 'assistants.md 2.10',
  },
  client_limit: {
    status: 403,
    description: 'too many apps are connected',
    text: 'The owner has connected as many clients as may be. One of them has to be removed first.',
    source: 'oauth.md 5.4',
  },
  client_not_found: {
    status: 404,
    description: 'Client not found',
    text: 'There is no such client, or the registration access token is not its own. Register again.',
    source: 'oauth.md 3.6',
  },
  client_unverifiable: {
    status: 400,
    text: 'The document that the `client_id` leads to cannot be had, or does not describe the client as the request does; the description says which.',
    source: 'assistants.md 2.7',
  },
  conflict: {
    status: 409,
    text: 'The client was changed by another request at the same time. Read it and try again.',
    source: 'oauth.md 3.7',
  },
  consent_outdated: {
    status: 400,
    text: 'What the form asked for is not what would be given any more. Begin the authorization again.',
    source: 'decision D42',
  },
  cross_origin: {
    status: 403,
    description: 'cross-origin request',
    text: 'A form was posted from a page of another site. Nothing was done.',
    source: 'login.md 4.4',
  },
  deprecated_app: {
    status: 403,
    description: 'this app is no longer supported',
    text: 'The app can no longer be connected. The page says what takes its place.',
    source: 'oauth.md 5.6',
  },
  forbidden: {
    status: 403,
    text: 'The caller is known and may not do this.',
    source: 'oauth.md 3.3',
  },
  insufficient_scope: {
    status: 403,
    text: 'The token is right and does not reach this. Ask the owner for more.',
    source: 'RFC 6750 3.1',
  },
  internal_error: {
    status: 500,
    isHidden: true,
    text: 'Something unexpected happened; the log has it under the `X-Request-Id` of the answer. Try again later.',
    source: 'security.md 115',
  },
  invalid_client: {
    status: 401,
    text: 'The client is unknown, was removed, or its secret is wrong. The description of a removed client is what deployed clients look for.',
    source: 'RFC 6749 5.2',
  },
  invalid_client_id: {
    status: 400,
    text: 'The body names another client than the address, or none.',
    source: 'oauth.md 3.7',
  },
  invalid_client_metadata: {
    status: 400,
    text: 'A member of the registration cannot be taken; the description names it.',
    source: 'RFC 7591 3.2.2',
  },
  invalid_client_secret: {
    status: 400,
    text: 'The secret in the body is not the current one of the client.',
    source: 'oauth.md 3.7',
  },
  invalid_grant: {
    status: 400,
    text: 'The code or the refresh token is unknown, used, expired, revoked or of another client. Begin the authorization again.',
    source: 'RFC 6749 5.2',
  },
  invalid_redirect_uri: {
    status: 400,
    text: 'An address that answers go to cannot be taken; the description says why.',
    source: 'RFC 7591 3.2.2',
  },
  invalid_request: {
    status: 400,
    text: 'A parameter or the body is missing, given twice or malformed; the description names it.',
    source: 'RFC 6749 5.2',
  },
  invalid_scope: {
    status: 400,
    text: 'The scope is malformed, or no client of this kind may have it.',
    source: 'RFC 6749 5.2',
  },
  invalid_target: {
    status: 400,
    text: 'The `resource` is none of this server, or another one than the grant has.',
    source: 'RFC 8707 2',
  },
  invalid_token: {
    status: 401,
    text: 'The token is malformed, expired or revoked. Refresh it, or begin the authorization again.',
    source: 'RFC 6750 3.1',
  },
  method_not_allowed: {
    status: 405,
    text: 'The path is right; `Allow` lists its methods.',
    source: 'RFC 9110 15.5.6',
  },
  missing_token: {
    status: 401,
    text: 'The request carries no token.',
    source: 'oauth.md 7.2',
  },
  not_authenticated: {
    status: 401,
    description: 'You must be authenticated',
    text: 'The owner is not logged in on this browser any more.',
    source: 'oauth.md 5.3',
  },
  not_found: {
    status: 404,
    description: 'not found',
    text: 'There is no such instance, app or path.',
    source: 'RFC 9110 15.5.5',
  },
  nothing_chosen: {
    status: 400,
    text: 'The owner allowed none of the permissions. The page asks again.',
    source: 'decision D42',
  },
  payload_too_large: {
    status: 413,
    text: 'The body is longer than the endpoint takes.',
    source: 'security.md 14',
  },
  quota_exceeded: {
    status: 413,
    description: 'the space is full',
    text: 'The instance keeps as much as it may, or as many of these. Nothing was written. The owner has to make room, or the operator has to give more.',
    source: 'operation.md 8.1',
  },
  temporarily_unavailable: {
    status: 503,
    isHidden: true,
    text: 'Something the answer needs is not ready yet. Try again after `Retry-After`.',
    source: 'oauth.md 6.2',
  },
  too_many_clients: {
    status: 403,
    description: 'too many clients are registered',
    text: 'The instance has 1 000 clients, allowed or not. The owner has to remove some first.',
    source: 'operation.md 8.1',
  },
  too_many_lookups: {
    status: 429,
    text: 'More documents of clients were to be fetched than may be. Try again after `Retry-After`.',
    source: 'assistants.md 2.6',
  },
  too_many_requests: {
    status: 429,
    text: 'The limit of the endpoint is reached. Try again after `Retry-After`.',
    source: 'oauth.md 2.6',
  },
  unapproved_software_id: {
    status: 400,
    text: 'The app that the client says it belongs to is not in the registry.',
    source: 'oauth.md 3.5',
  },
  unsupported_grant_type: {
    status: 400,
    text: 'Tokens are given for `authorization_code` and `refresh_token` only.',
    source: 'RFC 6749 5.2',
  },
  unsupported_media_type: {
    status: 415,
    text: 'The body is of a type, or has a content encoding, that the endpoint does not take.',
    source: 'security.md 21',
  },
} as const

/**
 * What registration, authorization, tokens and the guard refuse with: `code` of an `OAuthError` and `error` of the answer.
 * Status and text are those of `ERRORS`; `docs/errors.md` of the repository says what a client does about each.
 */
export type OAuthErrorCode = keyof typeof ERRORS

/** An error of this package; `code` names a row of {@link ERRORS}. */
export const OAuthError: ErrorClass<OAuthErrorCode> = defineErrors('OAuthError', ERRORS)
export type OAuthError = CodedError<OAuthErrorCode>
