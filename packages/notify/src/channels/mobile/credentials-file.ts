import { readFile } from 'node:fs/promises'
import type { NotifyLog } from '../../log/log-events.ts'

/** Default credentials that lie in a file, which may be replaced while the server runs. */
export interface CredentialsFile<Credentials> {
  /** As the file was at most half a minute ago; undefined while it cannot be used. */
  current(): Promise<Credentials | undefined>
}

export interface CredentialsFileOptions<Credentials> {
  readonly path: string
  /** Name in the log. */
  readonly provider: string
  readonly parse: (content: Buffer) => Credentials | { readonly fault: string }
  readonly clock: { now(): number }
  readonly log: NotifyLog
}

/** @see notifications.md 16.3 "change effective ≤ 60 s" */
const FRESH_MS = 30_000
const MAX_BYTES = 131_072

/**
 * Reads the file now and again: one that cannot be used is a warning, and its provider is off.
 * @see notifications.md 18
 */
export function createCredentialsFile<Credentials extends object>(
  options: CredentialsFileOptions<Credentials>,
): CredentialsFile<Credentials> {
  const { path, provider, parse, clock, log } = options
  let content: Buffer | undefined
  let credentials: Credentials | undefined
  let warned: string | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  /** Once for each fault, and without what the file holds. */
  function warn(fault: string): void {
    if (warned !== fault) log.warn('push.credentials.unusable', { provider, fault })
    warned = fault
  }

  async function read(): Promise<void> {
    let found: Buffer
    try {
      found = await readFile(path)
    } catch (error) {
      // Keeps the last valid credentials while the file is being replaced.
      warn(`unreadable ${String((error as NodeJS.ErrnoException).code)}`) // Errors of node:fs have one.
      return
    }
    if (content?.equals(found) === true) return
    content = found
    const parsed = found.length > MAX_BYTES ? { fault: 'too_large' } : parse(found)
    const isFault = 'fault' in parsed
    credentials = isFault ? undefined : parsed
    if (isFault) warn(String(parsed.fault))
    else warned = undefined
  }

  async function current(): Promise<Credentials | undefined> {
    const now = clock.now()
    // A clock that was set back must not keep old credentials.
    if (now - readAt >= FRESH_MS || now < readAt) {
      readAt = now
      reading = read()
    }
    await reading
    return credentials
  }

  void current()
  return { current }
}
