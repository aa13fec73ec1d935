import { createHash } from 'node:crypto'
import type { Instance, Outbound } from '@svc/platform'
import type { FoundDocument } from '../clients/client-document.ts'
import { OAuthError } from '../errors.ts'
import { readDocument } from './document.ts'
import { type ClientHosts, isAllowedHost } from './client-hosts.ts'
import type { CachedDocument, DocumentCache } from './document-cache.ts'
import type { DocumentCopies } from './document-copies.ts'
import { DocumentError, isPassing } from './document-error.ts'
import type { LookUpLimits } from './document-limits.ts'
import { fetchDocument } from './fetching/fetch-document.ts'
import { freshnessOf } from './fetching/freshness.ts'
import { hostOfClientId } from './identifier.ts'
import { SharedRuns } from './shared-runs.ts'

/** What became of a fetch, for whoever counts them. */
export interface DocumentFetch {
  /** Of the document's host alone: a path may say more than a log should keep. */
  readonly host: string
  readonly outcome: 'fetched' | DocumentError['failure']['kind']
  /** The rule that was broken. */
  readonly rule?: string
  /** Of an answer that is not 200. */
  readonly status?: number
  readonly ms: number
}

export interface ClientDocumentsOptions {
  readonly hosts: ClientHosts
  readonly clock: { now(): number }
  readonly cache: DocumentCache
  /** What stands for documents that cannot be fetched. */
  readonly copies: DocumentCopies
  readonly limits: LookUpLimits
  readonly outbound: Outbound
  /** Told of each fetch. */
  readonly onFetch: (fetch: DocumentFetch) => void
}

/**
 * The documents that clients describe themselves in. Whoever asks here makes the server call somebody: nothing here is
 * asked for a browser nobody is logged in with.
 * @see assistants.md 2.2 to 2.6
 */
export class ClientDocuments {
  readonly #options: ClientDocumentsOptions
  /** Parallel requests for one address share one fetch. */
  readonly #fetches = new SharedRuns<CachedDocument>()

  constructor(options: ClientDocumentsOptions) {
    this.#options = options
  }

  /** Whether documents of the host may describe clients. */
  isAllowed(host: string): boolean {
    return isAllowedHost(host, this.#options.hosts)
  }

  /**
   * The document at an address, fetched unless it is known and fresh.
   * @param url - an identifier without a fault, of a host that may connect
   * @throws DocumentError, OAuthError 429 when too many were looked up
   */
  async find(instance: Instance, url: string): Promise<FoundDocument> {
    const { cache, copies } = this.#options
    const cached = await cache.get(url)
    if (cached !== undefined) return found(cached, url, instance)
    try {
      const fetched = await this.#fetches.run(url, () => this.#fetch(instance, url))
      return found(fetched, url, instance)
    } catch (error) {
      const copy = needsCopy(error) ? await copies.get(url) : undefined
      if (copy === undefined) throw error
      return { ...found(copy, url, instance), isKept: true }
    }
  }

  async #fetch(instance: Instance, url: string): Promise<CachedDocument> {
    const { clock, cache, copies, limits, onFetch, outbound } = this.#options
    await limits.count(instance, url)
    const host = hostOfClientId(url)
    const start = performance.now()
    const tell = (told: Omit<DocumentFetch, 'host' | 'ms'>): void =>
      onFetch({ host, ...told, ms: performance.now() - start })
    try {
      const fetchedAt = clock.now()
      const { body, headers } = await fetchDocument(outbound, url)
      const freshUntil = fetchedAt + freshnessOf(headers)
      const fetched = { text: body.toString(), fetchedAt, freshUntil }
      const read = readDocument(body, url, instance)
      if ('fault' in read) throw new DocumentError({ kind: 'invalid' }, read.fault)
      await cache.put(url, fetched)
      await copies.replace({ url, text: fetched.text, fetchedAt })
      tell({ outcome: 'fetched' })
      return fetched
    } catch (error) {
      if (error instanceof DocumentError) {
        const { failure, rule } = error
        const status = failure.kind === 'status' ? { status: failure.status } : {}
        tell({ outcome: failure.kind, rule, ...status })
      }
      throw error
    }
  }
}

/** Our own limit is no reason to turn away who is behind a wall at each look. */
function needsCopy(error: unknown): boolean {
  if (error instanceof DocumentError) return isPassing(error.failure)
  return OAuthError.is(error, 'too_many_lookups')
}

function found(
  { text, fetchedAt }: Pick<CachedDocument, 'fetchedAt' | 'text'>,
  url: string,
  instance: Instance,
): FoundDocument {
  const bytes = Buffer.from(text)
  const document = readDocument(bytes, url, instance)
  // Good for the instance that it was fetched for: its return addresses may all be this one's own.
  if ('fault' in document) throw new DocumentError({ kind: 'invalid' }, document.fault)
  return { document, digest: createHash('sha256').update(bytes).digest('base64url'), fetchedAt }
}
