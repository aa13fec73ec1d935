import { createPrivateKey } from 'node:crypto'
import { object, type Option, text } from '@svc/platform/options'

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

/** Everything that tells what the mail is; RFC 8058 section 4 wants both headers of the unsubscribe link covered. */
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

/** The option that holds them. The library sends a mail unsigned when it cannot sign it: the key is tried here. */
export function dkimOptions(): Option<DkimOptions> {
  const labels = (written: string): boolean => LABELS.test(written)
  return object({
    domain: text('a domain', labels),
    selector: text('a name of labels', labels),
    privateKey: text(`PEM of an RSA key of at least ${MIN_BITS} bits`, isSigningKey),
  })
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

function isSigningKey(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_BITS
  } catch {
    return false
  }
}
