import { webcrypto } from 'node:crypto'
import { generateKeys, issueCertificate } from './certificate.ts'

/** A server's certificate, the key to it and the authority that stands for it. PEM. */
export interface TlsCertificate {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Makes an authority and a certificate of it for these names. */
export async function makeTlsCertificate(
  dnsNames: readonly string[],
  now: number = Date.now(),
): Promise<TlsCertificate> {
  const authority = await issueCertificate({
    subject: 'CN=Test Authority',
    keys: await generateKeys('P-256'),
    isAuthority: true,
    now,
  })
  const keys = await generateKeys('P-256')
  const certificate = await issueCertificate(
    { subject: `CN=${dnsNames[0] ?? 'server'}`, keys, dnsNames, now },
    authority,
  )
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  return {
    ca: authority.pem,
    cert: certificate.pem,
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64')}\n-----END PRIVATE KEY-----\n`,
  }
}
