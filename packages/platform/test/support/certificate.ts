import { readFileSync } from 'node:fs'

/** Of nobody. */
export function readTestCertificate(): { readonly key: string; readonly cert: string } {
  const read = (name: string): string =>
    readFileSync(new URL(`tls/test-only-${name}.pem`, import.meta.url), 'utf8')
  return { key: read('key'), cert: read('cert') }
}
