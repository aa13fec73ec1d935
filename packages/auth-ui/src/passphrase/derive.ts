import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'

const runPbkdf2 = promisify(pbkdf2)

/** Iterations for new passphrases. @see login.md 3.1 */
export const DEFAULT_ITERATIONS = 650_000
/** Fewer are refused. @see login.md 3.1 */
export const MIN_ITERATIONS = 50_000
/** More are refused: the browser would take minutes. @see login.md 3.1 */
export const MAX_ITERATIONS = 5_000_000

/**
 * The login value that a browser derives from a passphrase. No Unicode normalisation: it would lock existing clients
 * out. New passphrases are NFC before they come here.
 * @see login.md 3.1
 */
export async function deriveLoginValue(
  passphrase: string,
  salt: string,
  iterations: number,
): Promise<string> {
  const master = await runPbkdf2(passphrase, salt, iterations, 32, 'sha256')
  return (await runPbkdf2(master, passphrase, 1, 32, 'sha256')).toString('base64')
}

/** Salt of a new owner: stored once, so that a renamed domain breaks no login. @see login.md 1 */
export function saltOf(domain: string): string {
  return `me@${URL.parse(`http://${domain}`)?.hostname ?? domain}`
}
