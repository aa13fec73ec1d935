import { SECOND_MS } from '@svc/platform'
import { ENTRY_READER_OPTIONS, type EntryReaderOptions } from './account-type-options.ts'
import {
  type AccountType,
  type AccountTypeEntry,
  type AccountTypeFault,
  parseAccountTypeId,
  type Secret,
} from './account-type.ts'
import { checkEntry } from './check-entry.ts'
import { applyPreset } from './presets.ts'
import { createSecret, guardParameters } from './secrets.ts'

/** Reads stored entries, forgiving what can be forgiven. */
export interface EntryReader {
  /**
   * @param id - whole id, as stored
   * @param unreadable - names of sealed fields that did not open
   * @see connectors.md 2.2 (5)
   */
  read(id: string, entry: AccountTypeEntry, unreadable?: readonly string[]): AccountType
}

/** OAuth goes on when one of these is wrong. */
const OTHERS: ReadonlySet<string> = new Set([
  'apns_credentials',
  'push_credentials',
  'secret',
  'slug',
])
const TOKEN_MODES: readonly unknown[] = [undefined, 'form', 'post', 'basic', 'get']

/** @throws TypeError listing every fault of the options with its path */
export function createEntryReader(options: EntryReaderOptions): EntryReader {
  const { log } = ENTRY_READER_OPTIONS.settle(options)
  return {
    read(id, stored, unreadable = []) {
      const { token_mode: mode, ...others } = stored
      const isKnownMode = TOKEN_MODES.includes(mode)
      if (!isKnownMode) log.warn('account_type.unknown_token_mode', { accountType: id })
      const readable: unknown = { ...(isKnownMode ? stored : others), _id: id }
      const { entry = { _id: id }, faults } = checkEntry(readable)
      const [fault] = [
        ...unreadable.map((field) => ({ field, reason: 'cannot be opened' })),
        ...faults,
      ].filter(({ field }) => !OTHERS.has(field.split('/')[0] ?? ''))
      if (fault !== undefined) log.warn('account_type.invalid', { accountType: id, ...fault })
      const effective = applyPreset(entry)
      // A preset's own mode is not what an unknown one stands for.
      return toAccountType(isKnownMode ? effective : { ...effective, token_mode: 'form' }, fault)
    },
  }
}

function toAccountType(entry: AccountTypeEntry, fault: AccountTypeFault | undefined): AccountType {
  const { grant_mode: mode, token_mode: tokenMode = 'form' } = entry
  return {
    name: parseAccountTypeId(entry._id)?.name ?? entry._id,
    id: entry._id,
    slug: entry.slug,
    preset: entry.preset,
    grantMode: mode,
    isInteractive: mode === 'authorization_code' || mode === 'authorization_code+secret',
    clientId: entry.client_id ?? '',
    clientSecret: secretOf(entry.client_secret),
    authEndpoint: entry.auth_endpoint,
    tokenEndpoint: entry.token_endpoint,
    refreshEndpoint: entry.refresh_endpoint,
    revocationEndpoint: entry.revocation_endpoint,
    issuer: entry.issuer,
    tokenMode: tokenMode === 'post' ? 'form' : tokenMode,
    redirectUri: entry.redirect_uri,
    extras: entry.extras ?? {},
    skipsRedirectUriOnAuthorize: entry.skip_redirect_uri_on_authorize ?? false,
    skipsStateOnToken: entry.skip_state_on_token ?? false,
    secret: secretOf(entry.secret),
    pkce: entry.pkce,
    scopeSeparator: entry.scope_separator ?? ' ',
    scopeParam: entry.scope_param ?? 'scope',
    scopeFrom: entry.scope_from ?? 'token',
    addedScopes: entry.added_scopes ?? [],
    tokenBasicEncoding: entry.token_basic_encoding ?? 'raw',
    tokenBodyFormat: entry.token_body_format ?? 'form',
    tokenParams: guardParameters(entry.token_params ?? {}),
    refreshParams: guardParameters(entry.refresh_params ?? {}),
    tokenHeaders: guardParameters(entry.token_headers ?? {}),
    tokenTypes: entry.token_types ?? [],
    tokenResponsePath: entry.token_response_path?.split('.') ?? [],
    errorStatusPath: entry.error_status_path?.split('.'),
    callbackParams: entry.callback_params ?? [],
    revokedErrors: entry.revoked_errors ?? [],
    configErrors: entry.config_errors ?? [],
    laterErrors: entry.later_errors ?? [],
    errorPaths: entry.error_paths?.map((path) => path.split('.')) ?? [],
    sendsNonceOnToken: entry.nonce_on_token ?? false,
    hasBrowserBinding: entry.browser_binding ?? true,
    refreshMarginMs:
      entry.refresh_margin === undefined ? undefined : entry.refresh_margin * SECOND_MS,
    isKeptAlive: entry.keepalive ?? false,
    isTrustedNetwork: entry.trusted_network ?? false,
    fault,
  }
}

function secretOf<Value>(value: Value | undefined): Secret<Value> | undefined {
  return value === undefined ? undefined : createSecret(value)
}
