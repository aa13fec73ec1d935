import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** An authority of the test, and a certificate of it, as PEM files. */
export interface Certificates {
  /** The authority itself, PEM. */
  readonly ca: string
  /** Paths of the chain and of its key. */
  readonly chain: string
  readonly key: string
}

/** Makes an authority and a certificate for a domain and everything one label below it. */
export function makeCertificates(folder: string, domain: string, days = 2): Certificates {
  const file = (name: string): string => path.join(folder, name)
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  }
  const curve = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
  const own = `-keyout ca.key -out ca.pem -days ${2 * days}`
  openssl(...`req -x509 ${curve} ${own} -subj`.split(' '), '/CN=Authority of a test')
  openssl(...`req ${curve} -keyout privkey.pem -out leaf.csr -subj /CN=${domain}`.split(' '))
  const extensions = `subjectAltName=DNS:${domain},DNS:*.${domain}\nbasicConstraints=CA:FALSE\n`
  writeFileSync(file('leaf.ext'), extensions)
  const by = '-CA ca.pem -CAkey ca.key -CAcreateserial -extfile leaf.ext'
  openssl(...`x509 -req -in leaf.csr -out fullchain.pem -days ${days} ${by}`.split(' '))
  const ca = readFileSync(file('ca.pem'), 'utf8')
  return { ca, chain: file('fullchain.pem'), key: file('privkey.pem') }
}
