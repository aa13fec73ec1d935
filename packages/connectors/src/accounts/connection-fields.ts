import type { AccountType } from '../account-types/account-type.ts'
import type { ConnectorsServices } from '../services.ts'
import type { TokenSet } from '../token-client/provider.ts'
import { type AccountDocument, type StoredOAuth, toInstant } from './account.ts'
import { type SealServices, sealTokens, sealValue, type TokenOwner } from './account-seal.ts'

/** What came back from a provider's pages. */
export interface Connection {
  readonly type: AccountType
  /** Of the exchange; absent for types without token endpoint (D38), whose connectors exchange `callbackQuery`. */
  readonly tokens?: TokenSet
  /** Query of the provider's redirect, every value of every name, without `state` and `iss`. */
  readonly callbackQuery: Readonly<Record<string, readonly string[]>>
  /** What `start` asked for, space-separated; granted when the provider does not say otherwise. */
  readonly requestedScope: string
  /** `reconnect`: into the account `accountId`, in its place. */
  readonly kind: 'create' | 'reconnect'
  readonly accountId?: string
  /** `sub` of an id token that was verified. */
  readonly subject?: string
}

/** Members of an account that a connection fills. */
export type ConnectedFields = Pick<
  AccountDocument,
  'oauth' | 'oauth_callback_results_encrypted'
> & {
  readonly oauth: StoredOAuth
}

/** Beyond it the largest members of what else the provider told are dropped. @see connectors.md 7.2 */
const RESULTS_BYTES = 16 * 1024
const SCOPE_CHARACTERS = 4096
const SUBJECT_CHARACTERS = 512

/**
 * @param sequence - `refresh_seq`
 * @see connectors.md 7.2, 6.7
 */
export function connectedFields(
  services: SealServices & Pick<ConnectorsServices, 'clock'>,
  owner: TokenOwner,
  connection: Connection,
  sequence: number,
): ConnectedFields {
  const { clock, log } = services
  const { instance } = owner
  const { type, tokens, callbackQuery } = connection
  const sealed = (field: string, plain: string) => sealValue(services, { ...owner, field }, plain)
  const subject = subjectOf(connection)
  const told = callbackResults(connection)
  const shared = {
    ...(subject !== undefined && { subject }),
    status: 'connected',
    refresh_seq: sequence,
    refreshed_at: toInstant(clock.now()),
  } as const

  function resultFields() {
    const kept = withinBytes(told, RESULTS_BYTES)
    if (kept.length < told.length) {
      log.warn('account.callback_results_dropped', { domain: instance.domain, type: type.name })
    }
    if (kept.length === 0) return {}
    const text = JSON.stringify(Object.fromEntries(kept))
    return { oauth_callback_results_encrypted: sealed('oauth_callback_results', text) }
  }

  if (tokens === undefined) {
    // D38: its connector exchanges the code, with the client's secret.
    const secret = type.clientSecret?.reveal()
    return {
      oauth: {
        query_encrypted: sealed('oauth.query', JSON.stringify(callbackQuery)),
        client_id: type.clientId,
        ...(secret !== undefined && {
          client_secret_encrypted: sealed('oauth.client_secret', secret),
        }),
        ...shared,
      },
    }
  }
  const scope = grantedScope(connection)
  return {
    oauth: {
      ...sealTokens(services, owner, tokens),
      ...(scope !== '' && { scope }),
      ...shared,
    },
    ...resultFields(),
  }
}

/**
 * Who the provider says its user is: `sub`, else the first of the type's callback parameters that came.
 * @see connectors.md 4.7
 */
export function subjectOf({ type, callbackQuery, subject }: Connection): string | undefined {
  const named = type.callbackParams.map((name) => valuesOf(callbackQuery, name)[0])
  return (subject ?? named.find((value) => value !== undefined && value !== ''))?.slice(
    0,
    SUBJECT_CHARACTERS,
  )
}

/** Providers separate with a space, a comma, or what they asked for. @see decision D38 */
function grantedScope({ type, tokens, callbackQuery, requestedScope }: Connection): string {
  const [fromCallback] = type.scopeFrom === 'callback' ? valuesOf(callbackQuery, 'scope') : []
  const scope = fromCallback ?? tokens?.scope ?? requestedScope
  const parts = scope.split(type.scopeSeparator).flatMap((part) => part.split(/[\s,]+/))
  return [...new Set(parts)].filter(Boolean).join(' ').slice(0, SCOPE_CHARACTERS)
}

type Member = readonly [name: string, value: unknown]

function callbackResults({ type, tokens, callbackQuery }: Connection): readonly Member[] {
  const kept = type.callbackParams.flatMap((name): Member[] => {
    const values = valuesOf(callbackQuery, name)
    return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]]
  })
  const all = new Map([...Object.entries(tokens?.rest ?? {}), ...kept])
  return [...all]
}

/** The smallest members that fit together into an object of JSON, in their order. */
function withinBytes(members: readonly Member[], maxBytes: number): readonly Member[] {
  const sized = members.map((member) => ({ member, bytes: bytesOf(member) }))
  let left = maxBytes - 1
  const kept = new Set<Member>()
  for (const { member, bytes } of sized.toSorted((one, other) => one.bytes - other.bytes)) {
    left -= bytes
    if (left < 0) break
    kept.add(member)
  }
  return members.filter((member) => kept.has(member))
}

/** With a colon, and a comma or brace. */
function bytesOf([name, value]: Member): number {
  return Buffer.byteLength(JSON.stringify(name)) + Buffer.byteLength(JSON.stringify(value)) + 2
}

function valuesOf(query: Connection['callbackQuery'], name: string): readonly string[] {
  return Object.hasOwn(query, name) ? (query[name] ?? []) : []
}
