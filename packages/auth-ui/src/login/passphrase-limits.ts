import type { LimitInRule } from '@svc/platform'

/** Limits of every row that checks a passphrase. @see login.md 4.7 */
export const PASSPHRASE_LIMITS: readonly LimitInRule[] = [
  {
    bucket: 'known-device',
    inRule: 'wrong passphrases of a known browser; asked in checkPassphrase',
  },
  {
    bucket: 'auth-ip',
    inRule: 'wrong passphrases of the address of any other; asked in checkPassphrase',
  },
  { bucket: 'auth', inRule: 'wrong passphrases of all others; asked in checkPassphrase' },
]

/** The limit of every row that takes a passkey in place of a passphrase. */
export const PASSKEY_LIMITS: readonly LimitInRule[] = [
  { bucket: 'passkey-ip', inRule: 'refused passkeys of an address; asked in provePasskey' },
]

/** As {@link PASSPHRASE_LIMITS}, where the app shows its own secret as well. */
export const APP_PASSPHRASE_LIMITS: readonly LimitInRule[] = PASSPHRASE_LIMITS.map((limit) =>
  limit.bucket === 'auth-ip'
    ? { ...limit, inRule: 'wrong passphrases and client secrets of an address or client' }
    : limit,
)

/** Limits of every row that starts a second step. */
export const SECOND_STEP_LIMITS: readonly LimitInRule[] = [
  { bucket: 'two-factor-generation', inRule: 'second steps that are begun' },
]

/** Limits of every row that takes the code of a second step. */
export const SECOND_CODE_LIMITS: readonly LimitInRule[] = [
  {
    bucket: 'two-factor-token',
    inRule: 'wrong codes of one second step, which is dead after the last one',
  },
  { bucket: 'two-factor', inRule: 'wrong codes; asked in completeChallenge' },
]

/** The limit of every row that answers with a session code. */
export const SESSION_CODE_LIMITS: readonly LimitInRule[] = [
  { bucket: 'session-code', inRule: 'codes that are made; asked in createOpenCode' },
]
