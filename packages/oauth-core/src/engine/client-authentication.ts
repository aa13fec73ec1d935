import type { Key } from '@svc/store'
import type { Context } from 'koa'
import { isClientId } from '../clients/client-record.ts'
import { equalSecrets, type Instance, type Parameters } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import type { ClientCache, ParsedClient } from './client-cache.ts'
import type { ClientRecords } from './client-records.ts'
import type { ReadRecords } from './batched-reads.ts'
import type { SecretThrottle } from './secret-throttle.ts'
import { newUnit, readUnit, type Unit } from './unit-of-work.ts'

export interface ClientAuthenticationOptions {
  readonly read: ReadRecords
  readonly clients: ClientRecords
  readonly clientCache: ClientCache
  readonly throttle: SecretThrottle
  readonly clientAddress: (ctx: Context) => string
}

/** A client that says who it is. */
export interface Attempt {
  /** The Authorization header, when the credentials came in it. */
  readonly basic?: string
  /** What {@link Attempt.admit} looks at. */
  readonly keys: readonly Key[]
  /**
   * The client, when its secret may be compared at all. @throws OAuthError 401 for an unknown client, too many wrong
   * secrets, or a secret of characters that none has
   */
  admit(unit: Unit): Promise<ParsedClient>
  /** Counts a wrong secret. @throws OAuthError 401, always */
  refuse(): Promise<never>
}

/** Authentication of clients around the engine's own. @see oauth.md 6.2 rows 2, 3 */
export interface ClientAuthentication {
  /** @throws OAuthError `invalid_request` without an identifier, or with two that differ, or two secrets */
  begin(ctx: Context, instance: Instance, form: Parameters): Attempt
  /** The client, its secret compared. @throws OAuthError as the others */
  authenticate(ctx: Context, instance: Instance, form: Parameters): Promise<ParsedClient>
}

interface Credentials {
  readonly clientId: string
  /** `''` when absent. */
  readonly secret: string
  readonly basic?: string
}

/** RFC 6749 appendix A.2. Controls are refused before a compare that pads with NUL bytes. @see security.md 66 */
const SECRET = /^[\x20-\x7e]{1,1024}$/
const SCHEME = /^basic(?: |$)/i

export function createClientAuthentication(
  options: ClientAuthenticationOptions,
): ClientAuthentication {
  const { read, clients, clientCache, throttle } = options

  function begin(ctx: Context, instance: Instance, form: Parameters): Attempt & Credentials {
    const credentials = readCredentials(ctx, form)
    const { clientId, secret } = credentials
    const isBasic = credentials.basic !== undefined
    if (!isClientId(clientId)) throw unknownClient(instance, isBasic)
    const suspect = { instance, clientId, address: options.clientAddress(ctx) }
    const clientKey = clients.keyOf(instance, clientId)

    async function refuse(): Promise<never> {
      if (secret !== '') await throttle.failed(suspect)
      throw invalidClient(instance, isBasic)
    }

    return {
      ...credentials,
      keys: [clientKey],
      async admit(unit) {
        const record = unit.records.get(clientKey)
        if (record === undefined) throw unknownClient(instance, isBasic)
        if (throttle.isBlocked(suspect)) throw invalidClient(instance, isBasic)
        if (secret !== '' && !SECRET.test(secret)) return refuse()
        return clientCache.read(instance, record)
      },
      refuse,
    }
  }

  return {
    begin,
    async authenticate(ctx, instance, form) {
      const attempt = begin(ctx, instance, form)
      const unit = newUnit(instance)
      await readUnit(read, unit, attempt.keys)
      const client = await attempt.admit(unit)
      return equalSecrets(client.secret, attempt.secret) ? client : attempt.refuse()
    },
  }
}

/** From the form or HTTP Basic, never both; any other Authorization header is ignored (clients.md 1). */
function readCredentials(ctx: Context, form: Parameters): Credentials {
  const header = ctx.get('Authorization')
  const clientId = form.text('client_id')
  const secret = form.text('client_secret')
  if (!SCHEME.test(header)) {
    if (clientId === '') throw invalidRequest('client_id is mandatory')
    return { clientId, secret }
  }
  const basic = decodeBasic(header)
  if (basic === undefined) throw invalidRequest('malformed Basic credentials')
  if (secret !== '') throw invalidRequest('client authentication must use one mechanism only')
  if (clientId !== '' && clientId !== basic.clientId) throw invalidRequest('client_id mismatch')
  return { ...basic, basic: header }
}

/** @see RFC 6749 section 2.3.1 */
function decodeBasic(header: string): { clientId: string; secret: string } | undefined {
  const encoded = header.slice('basic '.length)
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 1) return undefined
  try {
    return { clientId: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) }
  } catch {
    return undefined
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', '%20'))
}

function invalidRequest(description: string): OAuthError {
  return new OAuthError('invalid_request', { description })
}

function invalidClient(
  instance: Instance,
  isBasic: boolean,
  description = 'client authentication failed',
): OAuthError {
  // RFC 6749 section 5.2: a client that used the header is told the scheme.
  const headers = isBasic ? { 'WWW-Authenticate': `Basic realm="${instance.domain}"` } : {}
  return new OAuthError('invalid_client', { description, headers })
}

/** SPEC: oauth.md 2.3 - deployed clients look for this text to notice that they were removed. */
function unknownClient(instance: Instance, isBasic: boolean): OAuthError {
  return invalidClient(instance, isBasic, 'the client must be registered')
}
