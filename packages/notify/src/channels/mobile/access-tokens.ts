import { memberOf } from './provider-call.ts'
import type { PushOutcome } from './push-gateway.ts'

/** A token for a provider's API, and how long it may be used. */
export interface FetchedToken {
  readonly token: string
  readonly goodForMs: number
}

/** How long before its end a token is no longer used. */
const MARGIN_MS = 60_000

/** The token of an answer with its time, or undefined. @see RFC 6749 section 5.1 */
export function readTokenAnswer(json: unknown): FetchedToken | undefined {
  const token = memberOf(json, 'access_token')
  const seconds = Number(memberOf(json, 'expires_in'))
  if (typeof token !== 'string' || token === '' || !(seconds > 0)) return undefined
  return { token, goodForMs: seconds * 1000 - MARGIN_MS }
}

export type TokenResult = { readonly token: string } | { readonly failure: PushOutcome }

/** Access tokens of one credential: kept while they are good, fetched by one at a time. @see notifications.md 16.4 */
export interface AccessTokens {
  current(signal: AbortSignal): Promise<TokenResult>
  /** The provider refused it. */
  drop(token: string): void
}

/** A provider's result for a push, or its refusal of the access token. */
export type AuthorizedResult = PushOutcome | 'unauthorized'

export function createAccessTokens(options: {
  readonly clock: { now(): number }
  readonly fetchToken: () => Promise<FetchedToken | { readonly failure: PushOutcome }>
}): AccessTokens {
  const { clock, fetchToken } = options
  let held: { readonly token: string; readonly until: number } | undefined
  let fetching: Promise<TokenResult> | undefined

  async function fetchOnce(): Promise<TokenResult> {
    const fetched = await fetchToken()
    if ('failure' in fetched) return fetched
    held = { token: fetched.token, until: clock.now() + fetched.goodForMs }
    return { token: fetched.token }
  }

  return {
    async current(signal) {
      if (held !== undefined && clock.now() < held.until) return { token: held.token }
      fetching ??= fetchOnce().finally(() => {
        fetching = undefined
      })
      return unlessAborted(fetching, signal)
    },
    drop(token) {
      if (held?.token === token) held = undefined
    },
  }
}

/**
 * Sends with an access token, and once more with a new one when it is refused.
 * @see notifications.md 16.4 "401", 16.6 "80200001"
 */
export async function sendAuthorized(
  tokens: AccessTokens,
  signal: AbortSignal,
  refused: PushOutcome,
  send: (token: string) => Promise<AuthorizedResult>,
): Promise<PushOutcome> {
  for (let tries = 0; tries < 2; tries += 1) {
    const result = await tokens.current(signal)
    if ('failure' in result) return result.failure
    const outcome = await send(result.token)
    if (outcome !== 'unauthorized') return outcome
    tokens.drop(result.token)
  }
  return refused
}

/** Others may wait for the same token: an attempt that ends does not end the fetching. */
function unlessAborted(work: Promise<TokenResult>, signal: AbortSignal): Promise<TokenResult> {
  const timeout: TokenResult = { failure: { class: 'transient', code: 'timeout' } }
  if (signal.aborted) return Promise.resolve(timeout)
  return new Promise((resolve, reject) => {
    const abort = (): void => resolve(timeout)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
