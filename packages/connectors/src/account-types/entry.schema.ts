import { compiledSchema } from '@svc/platform'
import type { ErrorObject } from 'ajv'
import type { AccountTypeFault } from './account-type.ts'
import { PRESETS } from './presets.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** No control characters, and nothing that is no Unicode. */
const CLEAN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$'
const HEADER_NAME = '^[A-Za-z0-9-]+$'
const PARAMETER_NAME = '^[A-Za-z0-9_.:-]+$'
/** Whole ids; see `account-type-id.ts`. */
const ID = '^(?:[A-Za-z0-9_-]{1,64}/)?[a-z0-9][a-z0-9._-]{0,99}$'
const PATH = '^[A-Za-z0-9_-]{1,64}(?:\\.[A-Za-z0-9_-]{1,64}){0,7}$'
/** A path whose names may be joined. */
const ERROR_PATH = '^[A-Za-z0-9_+-]{1,200}(?:\\.[A-Za-z0-9_+-]{1,200}){0,7}$'

const flag: JsonSchema = { type: 'boolean' }
const text = (maxLength: number): JsonSchema => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: CLEAN,
})
const url = text(2048)
const oneOf = (...values: readonly string[]): JsonSchema => ({ enum: values })
const map = (names: JsonSchema, values: JsonSchema): JsonSchema => ({
  type: 'object',
  maxProperties: 50,
  propertyNames: { maxLength: 100, ...names },
  additionalProperties: { type: 'string', maxLength: 2048, ...values },
})
const parameters = map({ pattern: PARAMETER_NAME }, { pattern: CLEAN })
const list = (item: JsonSchema): JsonSchema => ({ type: 'array', maxItems: 50, items: item })

/** What an entry may say, field by field; unknown fields are kept. @see connectors.md 2.1 */
export const entrySchema: JsonSchema = {
  type: 'object',
  required: ['_id'],
  maxProperties: 200,
  properties: {
    _id: { type: 'string', pattern: ID },
    slug: { type: 'string', maxLength: 64, pattern: '^[a-z0-9-]+$' },
    preset: oneOf(...Object.keys(PRESETS)),
    grant_mode: oneOf('authorization_code', 'authorization_code+secret', 'refresh_token', 'secret'),
    client_id: text(2048),
    client_secret: text(16_384),
    auth_endpoint: url,
    token_endpoint: url,
    refresh_endpoint: url,
    revocation_endpoint: url,
    issuer: url,
    token_mode: oneOf('form', 'post', 'basic', 'get'),
    redirect_uri: url,
    extras: parameters,
    skip_redirect_uri_on_authorize: flag,
    skip_state_on_token: flag,
    secret: {},
    push_credentials: { type: 'object' },
    apns_credentials: { type: 'object' },
    pkce: oneOf('S256', 'off'),
    scope_separator: text(8),
    scope_param: { type: 'string', maxLength: 64, pattern: PARAMETER_NAME },
    scope_from: oneOf('token', 'callback'),
    added_scopes: list({ type: 'string', maxLength: 200, pattern: '^[\\x21-\\x7e]+$' }),
    token_basic_encoding: oneOf('raw', 'rfc6749'),
    token_body_format: oneOf('form', 'json'),
    token_params: parameters,
    refresh_params: parameters,
    token_headers: map({ pattern: HEADER_NAME }, { pattern: '^[\\x20-\\x7e]*$' }),
    token_types: list(text(200)),
    token_response_path: { type: 'string', pattern: PATH },
    error_status_path: { type: 'string', pattern: PATH },
    callback_params: list({ type: 'string', maxLength: 100, pattern: PARAMETER_NAME }),
    revoked_errors: list(text(200)),
    config_errors: list(text(200)),
    later_errors: list(text(200)),
    error_paths: list({ type: 'string', pattern: ERROR_PATH }),
    nonce_on_token: flag,
    browser_binding: flag,
    refresh_margin: { type: 'integer', minimum: 1, maximum: 31_536_000 },
    keepalive: flag,
    trusted_network: flag,
  },
}

const REASONS: Readonly<Record<string, string>> = {
  enum: 'is none of the possible values',
  maxItems: 'has too many items',
  maxLength: 'is too long',
  maxProperties: 'has too many members',
  maximum: 'is too large',
  minLength: 'is empty',
  minimum: 'is too small',
  pattern: 'has characters that are not allowed, or not in this order',
  required: 'is missing',
}

/** @returns every fault of a value, at most one a field or member */
export function entryFaults(value: unknown): readonly AccountTypeFault[] {
  const isEntry = compiledSchema(entrySchema, { allErrors: true })
  if (isEntry(value)) return []
  const faults = new Map<string, AccountTypeFault>()
  for (const error of isEntry.errors ?? []) {
    // Follows the faults of the names themselves.
    if (error.keyword === 'propertyNames') continue
    const fault = toFault(error)
    if (!faults.has(fault.field)) faults.set(fault.field, fault)
  }
  return [...faults.values()]
}

function toFault(error: ErrorObject): AccountTypeFault {
  const { keyword, instancePath, params, propertyName } = error
  if (propertyName !== undefined) {
    const name = propertyName.slice(0, 100).toWellFormed()
    const pointer = name.replaceAll('~', '~0').replaceAll('/', '~1')
    return { field: `${instancePath}/${pointer}`.slice(1), reason: 'is not an allowed name' }
  }
  const missing = keyword === 'required' ? `/${String(params['missingProperty'])}` : ''
  const type = keyword === 'type' ? `must be of type ${String(params['type'])}` : undefined
  return {
    field: `${instancePath}${missing}`.slice(1),
    reason: type ?? REASONS[keyword] ?? 'is not valid',
  }
}
