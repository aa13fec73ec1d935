import { type CodedError, defineErrors, type ErrorClass } from '@svc/platform'

/**
 * Every error this package answers with.
 * @see connectors.md 10
 * @example
 * const { status, text } = ERRORS.invalid_slug
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    title: 'Bad Request',
    text: 'A parameter or the body is malformed; `detail` names it.',
    source: 'connectors.md 10',
  },
  invalid_slug: {
    status: 400,
    title: 'Bad Request',
    text: '`slug` names no installed app.',
    source: 'connectors.md 10',
  },
  invalid_scope: {
    status: 400,
    title: 'Bad Request',
    text: 'The scope is more than the manifest of the connector names.',
    source: 'connectors.md 12',
  },
  bad_state: {
    status: 400,
    title: 'Bad Request',
    text: 'The state of the answer is unknown, used, too old or of another browser. Begin again.',
    source: 'connectors.md 10',
  },
  grant_mode_not_interactive: {
    status: 400,
    title: 'Bad Request',
    text: 'The owner cannot connect accounts of this type in a browser.',
    source: 'connectors.md 10',
  },
  oauth_refresh_invalid_token: {
    status: 401,
    title: 'Unauthorized',
    text: 'The provider does not take the refresh token any more. The owner has to connect the account again.',
    source: 'connectors.md 10',
  },
  login_required: {
    status: 403,
    title: 'Forbidden',
    text: 'The owner is not logged in on this browser.',
    source: 'connectors.md 10',
  },
  navigation_required: {
    status: 403,
    title: 'Forbidden',
    text: 'A script asked for an address that only a browser may go to.',
    source: 'connectors.md 10',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    text: 'The caller may not do this, or account types cannot be changed here.',
    source: 'connectors.md 10',
  },
  account_type_not_found: {
    status: 404,
    title: 'Not Found',
    text: 'There is no such account type.',
    source: 'connectors.md 10',
  },
  account_not_found: {
    status: 404,
    title: 'Not Found',
    text: 'There is no such account, or it is of another type.',
    source: 'connectors.md 10',
  },
  account_not_refreshable: {
    status: 422,
    title: 'Unprocessable Content',
    text: 'The account was not connected over OAuth.',
    source: 'connectors.md 10',
  },
  invalid_account_type: {
    status: 422,
    title: 'Unprocessable Content',
    text: 'The account type cannot be taken; every fault is told.',
    source: 'connectors.md 10',
  },
  oauth_refresh_unavailable: {
    status: 422,
    title: 'Unprocessable Content',
    text: 'No refresh token is stored. The owner has to connect the account again.',
    source: 'connectors.md 10',
  },
  too_many_requests: {
    status: 429,
    title: 'Too Many Requests',
    text: 'The limit of the endpoint is reached. Try again after `Retry-After`.',
    source: 'connectors.md 11',
  },
  account_type_misconfigured: {
    status: 500,
    title: 'Internal Server Error',
    text: 'The operator has to mend the account type; the log says what is wrong.',
    source: 'connectors.md 10',
  },
  oauth_provider_config_error: {
    status: 502,
    title: 'Bad Gateway',
    text: 'The provider does not accept what the operator configured, such as the client secret.',
    source: 'connectors.md 10',
  },
  oauth_provider_error: {
    status: 502,
    title: 'Bad Gateway',
    text: 'The provider answered something that is no token.',
    source: 'connectors.md 10',
  },
  oauth_provider_unavailable: {
    status: 502,
    title: 'Bad Gateway',
    text: 'The provider cannot be reached. Try again after `Retry-After`.',
    source: 'connectors.md 10',
  },
  oauth_provider_rate_limited: {
    status: 503,
    title: 'Service Unavailable',
    text: 'The provider wants fewer requests. Try again after `Retry-After`.',
    source: 'connectors.md 10',
  },
  oauth_refresh_in_progress: {
    status: 503,
    title: 'Service Unavailable',
    text: 'The account is being refreshed by another request. Try again after `Retry-After`.',
    source: 'connectors.md 10',
  },
  lock_unavailable: {
    status: 503,
    title: 'Service Unavailable',
    text: 'The store cannot be reached. Try again after `Retry-After`.',
    source: 'connectors.md 10',
  },
  oauth_provider_timeout: {
    status: 504,
    title: 'Gateway Timeout',
    text: 'The provider took too long. Try again after `Retry-After`.',
    source: 'connectors.md 10',
  },
} as const

/**
 * What accounts and their flows refuse with: `code` of a `ConnectorError` and of the answer. Status and text are those of
 * `ERRORS`; `docs/errors.md` of the repository says what a client does about each.
 * @example
 * if (error instanceof ConnectorError) metrics.count(error.code satisfies ConnectorErrorCode)
 */
export type ConnectorErrorCode = keyof typeof ERRORS

/** An error of this package; `code` names a row of {@link ERRORS}. */
export const ConnectorError: ErrorClass<ConnectorErrorCode> = defineErrors('ConnectorError', ERRORS)
export type ConnectorError = CodedError<ConnectorErrorCode>
