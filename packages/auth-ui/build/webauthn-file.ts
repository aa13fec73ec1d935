import { fileURLToPath } from 'node:url'
import { bundled } from './bundled.ts'

/** The file that the pages load. */
export const WEBAUTHN_PATH: string = fileURLToPath(
  new URL('../assets/webauthn.js', import.meta.url),
)

const BANNER = `/*!
 * Made by packages/auth-ui/build/main.ts: passkeys in the browser. @simplewebauthn/browser (MIT); its notice is in
 * webauthn.LICENSE.txt.
 */`

/** What the file has to hold. */
export function webauthnFile(): Promise<string> {
  return bundled('webauthn-entry.ts', BANNER)
}
