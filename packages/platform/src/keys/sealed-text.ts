import type { KeyObject } from 'node:crypto'

const DERIVED = /^v1\.([A-Za-z0-9_-]{1,32})\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{22,}$/
const PLAIN = /^([A-Za-z0-9_-]{1,32})\.[A-Za-z0-9_-]+$/

/**
 * The bytes of canonical base64url. The platform's decoder also takes padding, the other alphabet and stray bits, so that
 * what a client keeps for us would have several spellings.
 * @throws TypeError for any other spelling
 */
export function canonicalBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new TypeError('not canonical base64url')
  return bytes
}

/** Name of the key that a text was sealed with, whoever sealed it; undefined for what nobody sealed. */
export function sealedWith(text: string): string | undefined {
  return DERIVED.exec(text)?.[1] ?? PLAIN.exec(text)?.[1]
}

/**
 * A value of the store that its keyring cannot open: sealed with a key that another process has, or damaged. Answered
 * with 503, as the operator can mend it. @see operation.md 3.3
 */
export class SealedValueError extends Error {
  override readonly name: string = 'SealedValueError'
  readonly code: string = 'keys_unavailable'
  readonly status: number = 503
  readonly expose: boolean = true
  readonly headers: Readonly<Record<string, string>> = { 'Retry-After': '60' }
  /** Name of the key that it says it was sealed with. */
  readonly kid: string | undefined
  /** Logged only. */
  readonly detail: string

  /** @param kid - name of the key that it says it was sealed with, if it says one */
  constructor(kid: string | undefined, reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.kid = kid
    this.detail = kid === undefined ? reason : `${reason}: ${kid}`
  }
}

/**
 * Opens a sealed text with the key it names.
 * @throws SealedValueError when there is no such key, or it does not open the text
 */
export function openWith(
  key: KeyObject | undefined,
  text: string,
  open: (key: KeyObject) => Buffer,
): Buffer {
  if (key === undefined) {
    throw new SealedValueError(sealedWith(text), 'sealed with a key that is not in the keyring')
  }
  try {
    return open(key)
  } catch (cause) {
    throw new SealedValueError(sealedWith(text), 'does not open with the key of that name', {
      cause,
    })
  }
}
