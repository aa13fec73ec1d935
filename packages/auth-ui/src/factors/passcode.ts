import { hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { equalSecrets } from '@svc/platform'
import { openMac, sealMac } from '../web/mac.ts'
import { otplib } from './otplib.ts'

const PURPOSE = { name: 'totp' } as const
const SALT_BYTES = 32
const PERIOD_S = 60

/** What a genuine two-factor token stands for. */
export interface Passcode {
  /** Six digits: the only ones that answer this token by mail. */
  readonly code: string
  /** When the token was made; seconds since the epoch. */
  readonly timeS: number
}

/**
 * A two-factor token: 96 characters, base64url. Its random salt makes two mails of the same minute carry different codes.
 * @param key - `messageKey` of the instance's session key
 * @param timeS - now, seconds since the epoch
 * @see login.md 3.4
 */
export function newTwoFactorToken(key: KeyObject, timeS: number): string {
  return sealMac(key, PURPOSE, randomBytes(SALT_BYTES), timeS)
}

/** The passcode of a token, or undefined when the token is not ours. Never throws. @see login.md 3.4 */
export function passcodeOf(key: KeyObject, token: string): Passcode | undefined {
  const message = openMac(key, PURPOSE, token)
  if (message === undefined || message.value.length !== SALT_BYTES) return undefined
  const { value: salt, timeS } = message
  // The code is that of the token's own time: there is exactly one, however late it comes.
  const code = otplib().generateSync({
    secret: keyOf(key, salt),
    algorithm: 'sha256',
    digits: 6,
    period: PERIOD_S,
    epoch: timeS,
  })
  return { code, timeS }
}

/** Whether the owner typed this code; spaces do not matter. */
export function isPasscode(expected: string, typed: string): boolean {
  return equalSecrets(expected, digitsOf(typed) ?? '')
}

/** The six digits that were typed, or undefined when it is not six digits. */
export function digitsOf(typed: string): string | undefined {
  const digits = typed.replaceAll(/\s/gu, '')
  return /^[0-9]{6}$/.test(digits) ? digits : undefined
}

/** Of the one-time password: derived with the salt of the token. */
function keyOf(key: KeyObject, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, salt, '', 32))
}
