import type { AccountTypeEntry } from './account-type.ts'

/** What a preset may say: everything but who the client is. */
export type Preset = Pick<
  AccountTypeEntry,
  | 'added_scopes'
  | 'auth_endpoint'
  | 'callback_params'
  | 'config_errors'
  | 'error_paths'
  | 'error_status_path'
  | 'extras'
  | 'grant_mode'
  | 'issuer'
  | 'keepalive'
  | 'later_errors'
  | 'pkce'
  | 'refresh_params'
  | 'revocation_endpoint'
  | 'revoked_errors'
  | 'scope_from'
  | 'scope_param'
  | 'scope_separator'
  | 'skip_state_on_token'
  | 'token_body_format'
  | 'token_endpoint'
  | 'token_headers'
  | 'token_mode'
  | 'token_params'
  | 'token_response_path'
  | 'token_types'
>

/** None of these providers documents `state` at its token endpoint. */
const INTERACTIVE = { grant_mode: 'authorization_code', skip_state_on_token: true } as const

/**
 * Providers that need no endpoints from the operator. Data only: an entry's own fields come before these.
 * Above each stands where it was checked, in November 2026; "not checked" is what the specification says. Errors are
 * those that users of other programs reported in public.
 * @see connectors.md 2.4; D38
 * @example
 * const { auth_endpoint } = PRESETS['discord'] ?? {}
 */
export const PRESETS: Readonly<Record<string, Preset>> = {
  /**
   * https://discord.com/developers/docs/topics/oauth2: endpoints, revocation (RFC 7009), form bodies only, the secret
   * in the body or as Basic, scopes by spaces, refresh answers with a new refresh token.
   */
  discord: {
    ...INTERACTIVE,
    auth_endpoint: 'https://discord.com/api/oauth2/authorize',
    token_endpoint: 'https://discord.com/api/oauth2/token',
    revocation_endpoint: 'https://discord.com/api/oauth2/token/revoke',
    token_mode: 'form',
    error_paths: ['error_description'],
    revoked_errors: ['Invalid "refresh_token" in request.'],
  },
  /**
   * https://developers.dropbox.com/oauth-guide, https://dropbox.tech/developers/using-oauth-2-0-with-offline-access:
   * endpoints, `token_access_type`, PKCE, no new refresh token at a refresh. Its revocation is no RFC 7009.
   */
  dropbox: {
    ...INTERACTIVE,
    auth_endpoint: 'https://www.dropbox.com/oauth2/authorize',
    token_endpoint: 'https://api.dropboxapi.com/oauth2/token',
    token_mode: 'form',
    extras: { token_access_type: 'offline' },
    pkce: 'S256',
  },
  /**
   * https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow: endpoints, GET, scopes by commas,
   * no refresh tokens. A version of the API answers for at least two years; 25.0 seen in use, its page not checked.
   */
  facebook: {
    ...INTERACTIVE,
    auth_endpoint: 'https://www.facebook.com/v25.0/dialog/oauth',
    token_endpoint: 'https://graph.facebook.com/v25.0/oauth/access_token',
    token_mode: 'get',
    scope_separator: ',',
  },
  /**
   * https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps: endpoints, scopes asked by
   * spaces and granted with commas, urlencoded answers without `Accept`. PKCE since July 2025:
   * https://github.blog/changelog/2025-07-14-pkce-support-for-oauth-and-github-app-authentication. Refresh tokens (of
   * GitHub Apps) live six months and are replaced: .../authenticating-with-a-github-app/refreshing-user-access-tokens.
   */
  github: {
    ...INTERACTIVE,
    auth_endpoint: 'https://github.com/login/oauth/authorize',
    token_endpoint: 'https://github.com/login/oauth/access_token',
    token_mode: 'form',
    pkce: 'S256',
    revoked_errors: ['bad_refresh_token'],
    config_errors: ['incorrect_client_credentials'],
    keepalive: true,
  },
  /**
   * https://docs.gitlab.com/api/oauth2: endpoints, PKCE for confidential clients too, scopes by spaces; a refresh ends
   * both old tokens. Its examples send `redirect_uri` with a refresh, which no other document asks for.
   */
  gitlab: {
    ...INTERACTIVE,
    auth_endpoint: 'https://gitlab.com/oauth/authorize',
    token_endpoint: 'https://gitlab.com/oauth/token',
    revocation_endpoint: 'https://gitlab.com/oauth/revoke',
    token_mode: 'form',
    pkce: 'S256',
  },
  /**
   * https://developers.google.com/identity/protocols/oauth2/web-server, .../identity/openid-connect/reference: endpoints,
   * issuer, revocation, `access_type`, `prompt`, PKCE; https://developers.google.com/identity/protocols/oauth2:
   * a refresh token dies after six months without use.
   */
  google: {
    ...INTERACTIVE,
    auth_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_endpoint: 'https://oauth2.googleapis.com/token',
    revocation_endpoint: 'https://oauth2.googleapis.com/revoke',
    issuer: 'https://accounts.google.com',
    token_mode: 'form',
    extras: { access_type: 'offline', prompt: 'consent' },
    pkce: 'S256',
    keepalive: true,
  },
  /**
   * https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow and
   * .../programmatic-refresh-tokens: endpoints, form bodies, `refresh_token_expires_in`; using a refresh token does not
   * make it live longer. PKCE off: not checked.
   */
  linkedin: {
    ...INTERACTIVE,
    auth_endpoint: 'https://www.linkedin.com/oauth/v2/authorization',
    token_endpoint: 'https://www.linkedin.com/oauth/v2/accessToken',
    token_mode: 'form',
    pkce: 'off',
  },
  /**
   * https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow: endpoints, `response_mode`,
   * PKCE for all kinds of clients, `offline_access`; .../refresh-tokens: 90 days, a new one at every use. The issuer
   * differs from tenant to tenant.
   */
  microsoft: {
    ...INTERACTIVE,
    auth_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    token_mode: 'form',
    extras: { response_mode: 'query' },
    added_scopes: ['offline_access'],
    pkce: 'S256',
    revoked_errors: ['bad_token'],
    keepalive: true,
  },
  /**
   * https://developers.notion.com/reference/create-a-token and .../refresh-a-token: Basic, JSON, the version header, a
   * new refresh token at every refresh; https://developers.notion.com/reference/authorization: `owner=user`.
   */
  notion: {
    ...INTERACTIVE,
    auth_endpoint: 'https://api.notion.com/v1/oauth/authorize',
    token_endpoint: 'https://api.notion.com/v1/oauth/token',
    token_mode: 'basic',
    token_body_format: 'json',
    token_headers: { 'Notion-Version': '2026-03-11' },
    extras: { owner: 'user' },
  },
  /**
   * https://github.com/reddit-archive/reddit/wiki/OAuth2: endpoints, Basic, `duration`, revocation; a refresh answers
   * without a refresh token. The archived page is the newest. Reddit wants a `User-Agent` that names the client: an
   * operator's own goes into `token_headers`.
   */
  reddit: {
    ...INTERACTIVE,
    auth_endpoint: 'https://www.reddit.com/api/v1/authorize',
    token_endpoint: 'https://www.reddit.com/api/v1/access_token',
    revocation_endpoint: 'https://www.reddit.com/api/v1/revoke_token',
    token_mode: 'basic',
    extras: { duration: 'permanent' },
    // All that it says of a refused refresh token, beside "Bad Request". A wrong client is 401.
    revoked_errors: ['400'],
  },
  /**
   * https://docs.slack.dev/reference/methods/oauth.v2.access and .../authentication/using-token-rotation: endpoints, form
   * bodies, error codes, `token_type`, a new refresh token at every refresh. The first answer has the user's token under
   * `authed_user`, that of a refresh at its root (Slack's own SDK, `token_rotation/rotator.py`). PKCE off: not checked.
   */
  slack: {
    ...INTERACTIVE,
    auth_endpoint: 'https://slack.com/oauth/v2/authorize',
    token_endpoint: 'https://slack.com/api/oauth.v2.access',
    token_mode: 'form',
    scope_param: 'user_scope',
    scope_separator: ',',
    token_response_path: 'authed_user',
    token_types: ['bot', 'user'],
    pkce: 'off',
    revoked_errors: [
      'account_inactive',
      'invalid_auth',
      'invalid_refresh_token',
      'token_expired',
      'token_revoked',
    ],
    config_errors: ['bad_client_secret', 'invalid_client_id'],
    later_errors: ['fatal_error', 'internal_error', 'ratelimited', 'service_unavailable'],
  },
  /**
   * https://developer.spotify.com/documentation/web-api/tutorials/code-flow and .../refreshing-tokens: endpoints, Basic,
   * scopes by spaces (seen in libraries that cite these pages); the refresh answer may lack a refresh token.
   */
  spotify: {
    ...INTERACTIVE,
    auth_endpoint: 'https://accounts.spotify.com/authorize',
    token_endpoint: 'https://accounts.spotify.com/api/token',
    token_mode: 'basic',
  },
  /**
   * https://developers.strava.com/docs/authentication: endpoints, `approval_prompt`, scopes by commas, `expires_at`,
   * rotation; what the athlete granted comes with the redirect, not with the tokens. Its deauthorization is no RFC 7009.
   */
  strava: {
    ...INTERACTIVE,
    auth_endpoint: 'https://www.strava.com/oauth/authorize',
    token_endpoint: 'https://www.strava.com/api/v3/oauth/token',
    token_mode: 'form',
    scope_separator: ',',
    scope_from: 'callback',
    extras: { approval_prompt: 'auto' },
    error_paths: ['errors.resource+field+code'],
    revoked_errors: ['RefreshToken.refresh_token.invalid'],
    config_errors: ['Application.client_id.invalid', 'Application.invalid'],
  },
  /**
   * https://dev.twitch.tv/docs/authentication/getting-tokens-oauth, .../refresh-tokens, .../revoke-tokens: endpoints, scopes
   * asked by spaces and granted as an array, refresh tokens that may change.
   */
  twitch: {
    ...INTERACTIVE,
    auth_endpoint: 'https://id.twitch.tv/oauth2/authorize',
    token_endpoint: 'https://id.twitch.tv/oauth2/token',
    revocation_endpoint: 'https://id.twitch.tv/oauth2/revoke',
    token_mode: 'form',
    revoked_errors: ['Invalid refresh token', 'Invalid grant'],
    config_errors: ['invalid client', 'invalid client secret'],
  },
  /**
   * https://developer.withings.com/developer-guide/v3/integration-guide/public-health-data-api/get-access (authorization
   * URL, access and refresh tokens): endpoints, scopes by commas, `action` on both calls, tokens under `body`, `status`,
   * rotation, refresh tokens of a year. The text of a refused refresh token was seen in programs that met it.
   */
  withings: {
    ...INTERACTIVE,
    auth_endpoint: 'https://account.withings.com/oauth2_user/authorize2',
    token_endpoint: 'https://wbsapi.withings.net/v2/oauth2',
    token_mode: 'form',
    scope_separator: ',',
    token_params: { action: 'requesttoken' },
    refresh_params: { action: 'requesttoken' },
    token_response_path: 'body',
    error_status_path: 'status',
    // Too many requests.
    later_errors: ['601'],
    revoked_errors: ['Invalid Params: invalid refresh_token'],
    keepalive: true,
  },
}

const MAPS = ['extras', 'token_params', 'refresh_params', 'token_headers'] as const
const LISTS = [
  'added_scopes',
  'callback_params',
  'config_errors',
  'error_paths',
  'later_errors',
  'revoked_errors',
  'token_types',
] as const

/**
 * The entry with what its preset adds. Its own fields come before those of the preset; members of maps do one by one,
 * and lists hold what either has.
 * @see connectors.md 2.4
 */
export function applyPreset(entry: AccountTypeEntry): AccountTypeEntry {
  const { preset: name } = entry
  const preset = name !== undefined && Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
  if (preset === undefined) return entry
  const maps = MAPS.flatMap((field) => {
    const joined = { ...preset[field], ...entry[field] }
    return Object.keys(joined).length > 0 ? [[field, joined] as const] : []
  })
  const lists = LISTS.flatMap((field) => {
    const joined = new Set([...(preset[field] ?? []), ...(entry[field] ?? [])])
    return joined.size > 0 ? [[field, [...joined]] as const] : []
  })
  return { ...preset, ...entry, ...Object.fromEntries(maps), ...Object.fromEntries(lists) }
}
