import { createPrivateKey, type KeyObject } from 'node:crypto'

/** How mails are signed. @see RFC 6376 */
export interface DkimOptions {
  /** Whose key it is; the domain of the sender's address or one above it. */
  readonly domain: string
  /** The record `<selector>._domainkey.<domain>` has the public key. */
  readonly selector: string
  /** PEM of an RSA key of at least 1 024 bits; 2 048 is usual. */
  readonly privateKey: string
}

const LABELS = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i
const MIN_BITS = 1024

/** Everything that tells what the mail is; RFC 8058 section 4 wants both headers of the way out covered. */
const SIGNED_HEADERS = [
  'From',
  'To',
  'Reply-To',
  'Subject',
  'Date',
  'Message-ID',
  'MIME-Version',
  'Content-Type',
  'Content-Language',
  'Auto-Submitted',
  'List-Id',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
]

/**
 * The library sends a mail unsigned when it cannot sign it, so what it would stumble over is refused here.
 * @throws TypeError naming the option
 */
export function checkDkim({ domain, selector, privateKey }: DkimOptions): void {
  if (!LABELS.test(domain)) throw new TypeError('options.dkim.domain: is no domain')
  if (!LABELS.test(selector)) throw new TypeError('options.dkim.selector: is no name')
  const key = readKey(privateKey)
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? 0
  if (key?.asymmetricKeyType !== 'rsa' || bits < MIN_BITS) {
    throw new TypeError('options.dkim.privateKey: is no RSA key of at least 1024 bits')
  }
}

/** The same in the library's words. */
export function toDkim({ domain, selector, privateKey }: DkimOptions): {
  domainName: string
  keySelector: string
  privateKey: string
  headerFieldNames: string
} {
  return {
    domainName: domain,
    keySelector: selector,
    privateKey,
    headerFieldNames: SIGNED_HEADERS.join(':'),
  }
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}
