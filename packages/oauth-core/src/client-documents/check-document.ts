import { createOutbound, type Outbound } from '@svc/platform'
import type { ClientDocument } from '../clients/client-document.ts'
import type { OwnHosts } from '../registration/redirect-uri.ts'
import { readDocument } from './document.ts'
import { DocumentError } from './document-error.ts'
import { fetchDocument, MAX_DOCUMENT_BYTES } from './fetching/fetch-document.ts'
import { freshnessOf } from './fetching/freshness.ts'
import { documentWay, findIdentifierFault, isLoopbackClientId } from './identifier.ts'

/** What a look at a client's document finds, for whoever publishes it or operates a server. */
export interface DocumentReport {
  readonly url: string
  /** The rule that is broken, such as `port`, `media_type`, `client_name`. Absent: the document is good. */
  readonly fault?: string
  /** Of what: the address, the answer to the request for it, or what is in it. */
  readonly at?: 'address' | 'answer' | 'content'
  /** Of an answer that is not 200. */
  readonly status?: number
  readonly document?: Pick<
    ClientDocument,
    'authentication' | 'isKeyOptional' | 'isRefreshing' | 'keysUri' | 'name' | 'redirectUris'
  >
  /** How long it is used without being asked for again. Seconds. */
  readonly freshForS?: number
}

/** No instance's: which return addresses are a server's own is not looked at. */
const NOWHERE: OwnHosts = {
  domain: 'nowhere.invalid',
  aliases: [],
  isHttps: true,
  subdomains: 'nested',
}
const NOWHERE_IN_DEVELOPMENT: OwnHosts = {
  ...NOWHERE,
  domain: 'nowhere.localhost',
  isHttps: false,
}

/**
 * Fetches the document of a client as the authorization endpoint does, and says what is wrong with it. Nothing is kept.
 * @param url - the client's identifier; an address of this machine is taken as by a server that is there, too
 * @param outbound - the way to it. @defaultValue one that leads to public addresses only
 * @see assistants.md 7.2
 */
export async function checkClientDocument(
  url: string,
  outbound: Outbound = createOutbound(),
): Promise<DocumentReport> {
  const unfit = judgeAddress(url)
  if (unfit !== undefined) return unfit
  try {
    const { body, headers } = await fetchDocument(documentWay(outbound), url)
    const report = judgeDocument(url, body)
    if (report.fault !== undefined) return report
    return { ...report, freshForS: freshnessOf(headers) / 1000 }
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const { failure, rule } = error
    const status = failure.kind === 'status' ? { status: failure.status } : {}
    return { url, fault: rule, at: 'answer', ...status }
  }
}

/**
 * The same of a document that came some other way.
 * @param body - its bytes
 */
export function checkGivenDocument(url: string, body: Uint8Array): DocumentReport {
  const unfit = judgeAddress(url)
  if (unfit !== undefined) return unfit
  if (body.length > MAX_DOCUMENT_BYTES) return { url, fault: 'too_large', at: 'content' }
  return judgeDocument(url, body)
}

function judgeAddress(url: string): DocumentReport | undefined {
  const { domain, isHttps } = serverFor(url)
  const fault = findIdentifierFault(url, `${isHttps ? 'https' : 'http'}://${domain}`)
  return fault && { url, fault, at: 'address' }
}

function judgeDocument(url: string, body: Uint8Array): DocumentReport {
  const read = readDocument(body, url, serverFor(url))
  if ('fault' in read) return { url, fault: read.fault, at: 'content' }
  const { authentication, isKeyOptional, isRefreshing, keysUri, name, redirectUris } = read
  return {
    url,
    document: {
      authentication,
      isRefreshing,
      name,
      redirectUris,
      ...(isKeyOptional !== undefined && { isKeyOptional }),
      ...(keysUri !== undefined && { keysUri }),
    },
  }
}

function serverFor(url: string): OwnHosts {
  return isLoopbackClientId(url) ? NOWHERE_IN_DEVELOPMENT : NOWHERE
}
