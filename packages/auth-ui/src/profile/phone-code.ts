import { createHmac, randomInt } from 'node:crypto'
import { equalSecrets, type Instance } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { digitsOf } from '../factors/passcode.ts'
import type { PendingPhone, Profile } from '../owner/profile.ts'
import type { AuthUiServices } from '../services.ts'

/** Wrong codes that one text allows; after the last one it is dead. @see owner.md 1.9 */
export const MAX_TRIES = 5
const MAX_CHARS = 64
const DIGITS = 6

/** A number as people write it, in E.164. @throws AuthUiError `bad_phone` when it names no country or is none */
export async function readPhone(written: string): Promise<string> {
  // Its table of countries is large, and few owners have a number: it is loaded with the first one.
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  const number =
    written.length > MAX_CHARS
      ? undefined
      : parsePhoneNumberFromString(written.trim(), { extract: false })
  if (number === undefined || number.ext !== undefined || !number.isValid()) {
    throw new AuthUiError('bad_phone')
  }
  return number.number
}

/** Six digits for a text. */
export function newPhoneCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
}

/** What is kept of a code: good for that number alone, and dead with the session key. */
export async function phoneCodeHash(
  { keyring }: Pick<AuthUiServices, 'keyring'>,
  instance: Instance,
  { number, code }: { readonly number: string; readonly code: string },
): Promise<string> {
  const { secret } = await keyring.current(instance, 'session')
  return createHmac('sha256', secret).update(`phone ${number} ${code}`).digest('hex')
}

/** Whether this is the code that was sent; spaces do not matter. */
export async function isPhoneCode(
  services: Pick<AuthUiServices, 'keyring'>,
  instance: Instance,
  { number, codeHash }: PendingPhone,
  typed: string,
): Promise<boolean> {
  const code = digitsOf(typed)
  if (code === undefined) return false
  return equalSecrets(codeHash, await phoneCodeHash(services, instance, { number, code }))
}

/** The number that waits for its code, unless its time is over or the code was guessed at too often. */
export function livePendingPhone({ phonePending }: Profile, now: number): PendingPhone | undefined {
  if (phonePending === undefined || phonePending.expiresAt <= now) return undefined
  return phonePending.tries < MAX_TRIES ? phonePending : undefined
}
