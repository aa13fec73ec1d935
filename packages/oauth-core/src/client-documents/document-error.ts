import { OAuthError } from '../errors.ts'

/**
 * Why a document could not be had. `unreachable` is also said of addresses that were refused: what is behind them is
 * nobody's business.
 * @see assistants.md 2.7
 */
export type DocumentFailure =
  | { readonly kind: 'invalid' | 'timeout' | 'unreachable' }
  | { readonly kind: 'status'; readonly status: number }

/** A document that could not be had. Its message names neither host nor address. */
export class DocumentError extends Error {
  override readonly name: string = 'DocumentError'
  readonly failure: DocumentFailure
  /** For logs and the operator: the rule that was broken. */
  readonly rule: string

  constructor(failure: DocumentFailure, rule: string, options?: ErrorOptions) {
    super(`${failure.kind}: ${rule}`, options)
    this.failure = failure
    this.rule = rule
  }
}

/** SPEC: assistants.md 2.7 - what keeps visitors out for a while, and says nothing about the document. */
const PASSING: ReadonlySet<number> = new Set([403, 408, 425, 429])
const FIRST_FAULT_OF_SERVER = 500

/** Whether the document may well be there still: what was kept of it stands for it meanwhile. */
export function isPassing(failure: DocumentFailure): boolean {
  if (failure.kind !== 'status') return failure.kind !== 'invalid'
  return PASSING.has(failure.status) || failure.status >= FIRST_FAULT_OF_SERVER
}

/** The page of a document that could not be had; it shows neither body, nor address, nor what went wrong inside. */
export function unverifiable(host: string, failure: PageFailure, detail?: string): OAuthError {
  const status = failure.kind === 'status' ? { status: failure.status } : {}
  return new OAuthError('client_unverifiable', {
    description: `${host} ${SAID[failure.kind]}${failure.kind === 'status' ? ` ${failure.status}` : ''}`,
    words: { key: `document-${wordsOf(failure)}`, values: { host, ...status } },
    ...(detail !== undefined && { detail }),
  })
}

/** A document that was had may still not list where the answer is to go. */
type PageFailure = DocumentFailure | { readonly kind: 'redirect' }

/** Words of their own for answers that a copy of the operator's would stand for. */
function wordsOf(failure: PageFailure): string {
  if (failure.kind === 'redirect') return failure.kind
  return failure.kind === 'status' && isPassing(failure) ? 'barred' : failure.kind
}

const SAID: Readonly<Record<PageFailure['kind'], string>> = {
  invalid: 'is not a valid description',
  redirect: 'does not list this return address',
  status: 'answered',
  timeout: 'took too long',
  unreachable: 'is not reachable',
}

/** SPEC: assistants.md 2.10 */
export function hostRefused(host: string): OAuthError {
  return new OAuthError('client_host_refused', {
    description: `This server does not let apps of ${host} connect.`,
    words: { key: 'client-host-refused', values: { host } },
  })
}
