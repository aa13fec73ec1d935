import { webcrypto } from 'node:crypto'
import { generateKeys, issueCertificate, type IssuedCertificate } from '@svc/testkit/attestation'

/** A server's certificate for `localhost`, and the authority that it trusts alone. */
export interface TestCertificates {
  /** PEM. */
  readonly ca: string
  readonly cert: string
  readonly key: string
  readonly authority: IssuedCertificate
}

export async function makeCertificates(): Promise<TestCertificates> {
  const now = Date.now()
  const authority = await issueCertificate({
    subject: 'CN=Push Test CA',
    keys: await generateKeys('P-256'),
    isAuthority: true,
    now,
  })
  const leaf = await issueLeaf(authority, 'CN=localhost', ['localhost'])
  return { ca: authority.pem, cert: leaf.cert, key: leaf.key, authority }
}

/** A certificate below the authority, with its key; both PEM. */
export async function issueLeaf(
  authority: IssuedCertificate,
  subject: string,
  dnsNames: readonly string[] = [],
): Promise<{ readonly cert: string; readonly key: string }> {
  const keys = await generateKeys('P-256')
  const leaf = await issueCertificate({ subject, keys, dnsNames, now: Date.now() }, authority)
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  const lines = Buffer.from(pkcs8).toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    cert: `${leaf.pem}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  }
}
