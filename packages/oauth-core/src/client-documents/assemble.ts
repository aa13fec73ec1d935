import { createOutbound, createRateLimits, type Emitter } from '@svc/platform'
import type { Store } from '@svc/store'
import type { OAuthLog } from '../log/log-events.ts'
import type { ResolvedOptions } from '../options.ts'
import type { OAuthEvents } from '../ports.ts'
import type { OAuthServices } from '../services.ts'
import { ClientDocuments, type DocumentFetch } from './client-documents.ts'
import { Described } from './described-clients.ts'
import { DocumentCache } from './document-cache.ts'
import { DocumentCopies } from './document-copies.ts'
import { LookUpLimits, tooManyLookUps } from './document-limits.ts'
import { documentWay } from './identifier.ts'
import { ClientKeys } from './keys/client-keys.ts'

interface Given {
  readonly store: Store
  readonly options: ResolvedOptions
  readonly emitter: Emitter<OAuthEvents>
  readonly log: OAuthLog
  /** What the package is made of, once it is. */
  readonly services: () => OAuthServices
}

/** Puts together what documents of clients need. Nothing is fetched before somebody asks. */
export function assembleDocuments({ store, options, emitter, log, services }: Given): Described {
  const { assistants, clock, limits: windows } = options
  const outbound = documentWay(options.outbound ?? createOutbound({ log }))
  const counted = createRateLimits({
    store,
    clock,
    limits: {
      'cimd-instance': windows['cimd-instance'],
      'cimd-keys': windows['cimd-keys'],
      'cimd-url': windows['cimd-url'],
    },
    tooMany: (bucket, retryAfterS) => tooManyLookUps(bucket, retryAfterS),
  })
  const limits = new LookUpLimits({ clock, limits: counted, process: windows['cimd-process'] })
  const { clientHosts: allowed, clientHostsDenied: denied } = assistants
  const hosts = { denied, ...(allowed !== undefined && { allowed }) }
  const keys = new ClientKeys({ store, clock, limits, again: counted, outbound })
  const documents = new ClientDocuments({
    clock,
    hosts,
    cache: new DocumentCache(store),
    copies: new DocumentCopies(store),
    limits,
    outbound,
    onFetch: (fetch) => {
      emitter.emit('document.fetched', { outcome: fetch.outcome, ms: fetch.ms })
      note(log, fetch)
    },
  })
  return new Described({ documents, keys, services })
}

function note(log: OAuthLog, { host, outcome, rule = '', status }: DocumentFetch): void {
  if (outcome === 'fetched') log.info('cimd.fetched', { host })
  else log.info('cimd.refused', { host, outcome, rule, ...(status !== undefined && { status }) })
}
