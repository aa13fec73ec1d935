import type { Instance } from '@svc/platform'
import { describeError } from '@svc/store'
import type { AccountSource } from '../accounts/account-activity.ts'
import { connectAccount } from '../accounts/connect-account.ts'
import type { Connection } from '../accounts/connection-fields.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'
import { readSubject } from '../token-client/id-token.ts'
import { loggable } from '../token-client/provider-errors.ts'
import type { TokenSet } from '../token-client/provider.ts'
import { exchangeCode } from '../token-client/token-endpoint.ts'
import { errorOfExchange, errorOfRedirect, type Outcome } from './flow-outcome.ts'
import type { CallbackQuery, PendingFlow } from './flow-store.ts'
import { isFromIssuer, warnOfStrangeIssuer } from './issuer-check.ts'
import { findUsableType, type UsableType } from './usable-type.ts'

/** A provider's answer whose state, place and browser are right. */
export interface Answer {
  readonly instance: Instance
  readonly flow: PendingFlow
  readonly query: CallbackQuery
  /** The owner, in the browser that brought it. */
  readonly source: AccountSource
  /** Of the request that brought it, for the log. */
  readonly requestId?: string
}

/** Printable ASCII; the bound of the query bounds it. Work accounts of Microsoft get codes of several KiB. */
const CODE = /^[\u0020-\u007e]+$/u

/** Checks 6 to 11: what becomes of an answer. Never rejects. @see connectors.md 4.2 */
export async function completeFlow(services: ConnectorsServices, answer: Answer): Promise<Outcome> {
  const { log } = services
  try {
    return await decide(services, answer)
  } catch (cause) {
    const { instance, flow } = answer
    const fields = { domain: instance.domain, accountType: flow.accountType }
    if (ConnectorError.is(cause, 'oauth_provider_unavailable')) {
      log.warn('account.provider_unknown', fields)
      return { error: 'provider_unavailable' }
    }
    log.error('account.connect_failed', { ...fields, cause: describeError(cause) })
    return { error: 'internal_error' }
  }
}

async function decide(services: ConnectorsServices, answer: Answer): Promise<Outcome> {
  const { instance, flow, query, source } = answer
  // What the answer itself says comes before anything that could fail on our side.
  if (!(await isFromIssuer(flow, query))) return { error: 'issuer_mismatch' }
  const error = query.get('error') ?? ''
  if (error !== '') {
    logRefusal(services, answer, error)
    return { error: errorOfRedirect(error) }
  }
  const usable = await findUsableType(services, instance, flow.accountType)
  warnOfStrangeIssuer(flow, usable, query, services.log)
  const connection: Connection = {
    type: usable.type,
    callbackQuery: callbackQueryOf(query),
    requestedScope: flow.scope,
    kind: flow.kind,
    ...(flow.accountId !== undefined && { accountId: flow.accountId }),
  }
  if (usable.isClientSide) return connect(services, instance, connection, source)
  const tokens = await exchange(services, usable, answer)
  if (!('accessToken' in tokens)) return tokens
  // SPEC: D103 - who asked an issuer that is known who its user is must be told, or it could be any user.
  const isAsked = flow.issuer !== undefined && flow.oidcNonce !== undefined
  const subject = isAsked
    ? await readSubject(services, usable.type, tokens.idToken, flow.oidcNonce)
    : undefined
  if (isAsked && subject === undefined) return { error: 'invalid_response' }
  const known = { ...connection, tokens, ...(subject !== undefined && { subject }) }
  return connect(services, instance, known, source)
}

async function exchange(
  services: ConnectorsServices,
  { type }: UsableType,
  { instance, flow, query, requestId }: Answer,
): Promise<TokenSet | Outcome> {
  const code = query.get('code') ?? ''
  const state = query.get('state') ?? ''
  if (!CODE.test(code)) return { error: 'invalid_response' }
  const { redirectUri, nonce, codeVerifier } = flow
  const input = {
    code,
    redirectUri,
    state,
    ...(nonce !== '' && { nonce }),
    ...(codeVerifier !== undefined && { codeVerifier }),
  }
  const result = await exchangeCode(services, type, input, {
    instance: instance.domain,
    ...(requestId !== undefined && { requestId }),
  })
  return result.ok ? result.tokens : { error: errorOfExchange(result.class) }
}

async function connect(
  services: ConnectorsServices,
  instance: Instance,
  connection: Connection,
  source: AccountSource,
): Promise<Outcome> {
  const written = await connectAccount(services, instance, connection, source)
  return typeof written === 'string' ? { error: written } : { accountId: written.accountId }
}

/** Logs it in the provider's words, without anything it was sent. */
function logRefusal(
  { log }: Pick<ConnectorsServices, 'log'>,
  { instance, flow, query }: Answer,
  error: string,
): void {
  const description = query.get('error_description')
  const sent = [query.get('state') ?? '', flow.clientState, flow.nonce, flow.codeVerifier ?? '']
  log.info('account.provider_refused', {
    domain: instance.domain,
    accountType: flow.accountType,
    error: loggable(error, sent),
    ...(description !== undefined && { description: loggable(description, sent) }),
  })
}

/** For connectors that exchange the code themselves, and for what a type keeps of it. */
function callbackQueryOf(query: CallbackQuery): Readonly<Record<string, readonly string[]>> {
  const kept = [...query].filter(([name]) => name !== 'state' && name !== 'iss')
  return Object.fromEntries(kept.map(([name, value]) => [name, [value]]))
}
