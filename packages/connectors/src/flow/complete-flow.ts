import type { Instance, Logger } from '@svc/platform'
import { describeError } from '@svc/store'
import type { AccountWriter, Connection } from '../accounts/account-writer.ts'
import { ConnectorError } from '../connector-error.ts'
import { loggable } from '../token-client/provider-errors.ts'
import type { TokenClient, TokenSet } from '../token-client/provider.ts'
import type { Outcome } from './flow-outcome.ts'
import { isFromIssuer, warnOfStrangeIssuer } from './issuer-check.ts'
import type { CallbackQuery, PendingFlow } from './pending-flow.ts'
import { errorOfExchange, errorOfRedirect } from './provider-error.ts'
import type { UsableType, UsableTypes } from './usable-type.ts'

export interface ConcludeOptions {
  readonly usableTypes: UsableTypes
  readonly tokenClient: Pick<TokenClient, 'exchange' | 'subjectOf'>
  readonly accounts: AccountWriter
  readonly log: Logger
}

/** A provider's answer whose state, place and browser are right. */
export interface Answer {
  readonly instance: Instance
  readonly flow: PendingFlow
  readonly query: CallbackQuery
  /** Of the request that brought it, for the log. */
  readonly requestId?: string
}

/** Checks 6 to 11: what becomes of an answer. Never rejects. */
export type Conclude = (answer: Answer) => Promise<Outcome>

/** Printable ASCII of at most 2 KiB. */
const CODE = /^[\u0020-\u007e]{1,2048}$/u

/** @see connectors.md 4.2 */
export function createConclude(options: ConcludeOptions): Conclude {
  const { usableTypes, tokenClient, accounts, log } = options

  async function exchange(
    { type }: UsableType,
    { instance, flow, query, requestId }: Answer,
  ): Promise<TokenSet | Outcome> {
    const code = query.get('code') ?? ''
    const state = query.get('state') ?? ''
    if (!CODE.test(code)) return { error: 'invalid_response' }
    const { redirectUri, nonce, codeVerifier } = flow
    const request = {
      ...{ code, redirectUri, state },
      ...(nonce !== '' && { nonce }),
      ...(codeVerifier !== undefined && { codeVerifier }),
    }
    const result = await tokenClient.exchange(type, request, {
      instance: instance.domain,
      ...(requestId !== undefined && { requestId }),
    })
    return result.ok ? result.tokens : { error: errorOfExchange(result.class) }
  }

  async function subjectOf(
    { type }: UsableType,
    { issuer, oidcNonce }: PendingFlow,
    { idToken }: TokenSet,
  ): Promise<string | undefined> {
    if (issuer === undefined || oidcNonce === undefined || idToken === undefined) return undefined
    return tokenClient.subjectOf(type, idToken, oidcNonce)
  }

  async function decide(answer: Answer): Promise<Outcome> {
    const { instance, flow, query } = answer
    // What the answer itself says comes before anything that could fail on our side.
    if (!isFromIssuer(flow, query)) return { error: 'issuer_mismatch' }
    const error = query.get('error') ?? ''
    if (error !== '') {
      logRefusal(answer, error)
      return { error: errorOfRedirect(error) }
    }
    const usable = await usableTypes.find(instance, flow.accountType)
    warnOfStrangeIssuer(flow, usable, query, log)
    const connection: Connection = {
      type: usable.type,
      callbackQuery: callbackQueryOf(query),
      requestedScope: flow.scope,
      kind: flow.kind,
      ...(flow.accountId !== undefined && { accountId: flow.accountId }),
    }
    if (usable.isClientSide) return connect(instance, connection)
    const tokens = await exchange(usable, answer)
    if (!('accessToken' in tokens)) return tokens
    const subject = await subjectOf(usable, flow, tokens)
    return connect(instance, { ...connection, tokens, ...(subject !== undefined && { subject }) })
  }

  /** In the provider's words, without anything it was sent. */
  function logRefusal({ instance, flow, query }: Answer, error: string): void {
    const description = query.get('error_description')
    const sent = [query.get('state') ?? '', flow.clientState, flow.nonce, flow.codeVerifier ?? '']
    log.info('account.provider_refused', {
      instance: instance.domain,
      accountType: flow.accountType,
      error: loggable(error, sent),
      ...(description !== undefined && { description: loggable(description, sent) }),
    })
  }

  async function connect(instance: Instance, connection: Connection): Promise<Outcome> {
    const written = await accounts.connect(instance, connection)
    return typeof written === 'string' ? { error: written } : { accountId: written.accountId }
  }

  return async function conclude(answer) {
    try {
      return await decide(answer)
    } catch (cause) {
      const { instance, flow } = answer
      const fields = { instance: instance.domain, accountType: flow.accountType }
      if (ConnectorError.is(cause, 'oauth_provider_unavailable')) {
        log.warn('account.provider_unknown', fields)
        return { error: 'provider_unavailable' }
      }
      log.error('account.connect_failed', { ...fields, cause: describeError(cause) })
      return { error: 'internal_error' }
    }
  }
}

/** For connectors that exchange the code themselves, and for what a type keeps of it. */
function callbackQueryOf(query: CallbackQuery): Readonly<Record<string, readonly string[]>> {
  const kept = [...query].filter(([name]) => name !== 'state' && name !== 'iss')
  return Object.fromEntries(kept.map(([name, value]) => [name, [value]]))
}
