import { tellPasskeys } from './passkey-signals.js'

/**
 * What the owner has beside the passphrase, as `GET /settings/factors` tells it.
 *
 * @typedef {object} FactorsAbout
 * @property {{ enabled: boolean, enabled_at?: string, address?: string }} mail
 * @property {{ created_at: string, last_used?: string } | null} totp
 * @property {readonly PasskeyAbout[]} passkeys
 * @property {{ rp_id: string, id: string, name: string, display_name: string }} passkey_user
 * @property {boolean} passkey_after_passphrase
 * @property {{ left: number, created_at: string } | null} recovery
 */

/**
 * @typedef {object} PasskeyAbout
 * @property {string} id
 * @property {string} label
 * @property {string} created_at
 * @property {string} [last_used]
 * @property {boolean} first_way whether it logs in without the passphrase
 * @property {boolean} trusted false after a reset, until the owner says that it is theirs
 * @property {string} [only_for] the address that it was made for, where that is another one
 */

/**
 * @param {import('./main.js').Tools['api']} api
 * @returns {Promise<FactorsAbout>}
 */
export async function loadFactors(api) {
  const answer = await api.call('GET', '/settings/factors')
  const factors = /** @type {{ data: { attributes: FactorsAbout } }} */ (answer).data.attributes
  void tellPasskeys(factors)
  return factors
}

const KNOWN = 'svc.passkeys'

/**
 * Keeps which passkeys there are, until the owner is back from the page that makes one.
 *
 * @param {FactorsAbout} factors
 */
export function keepKnownPasskeys({ passkeys }) {
  sessionStorage.setItem(KNOWN, JSON.stringify(passkeys.map(({ id }) => id)))
}

/**
 * The passkey that was made since then, if one was; told once.
 *
 * @param {FactorsAbout} factors
 */
export function takeNewPasskey({ passkeys }) {
  const kept = sessionStorage.getItem(KNOWN)
  sessionStorage.removeItem(KNOWN)
  if (kept === null) return undefined
  /** @type {readonly string[]} */
  const known = JSON.parse(kept)
  return passkeys.find(({ id }) => !known.includes(id))
}

const OLD_MS = 3 * 24 * 3_600_000

/**
 * Whether the owner has had something for three days that outweighs the mailbox.
 *
 * @param {FactorsAbout} factors
 */
export function hasOldFactor({ totp, passkeys, recovery }) {
  const since = new Date().getTime() - OLD_MS
  return [totp, recovery, ...passkeys].some(
    (each) => each !== null && new Date(each.created_at).getTime() <= since,
  )
}

/** How many factors are on that ask for a second step. @param {FactorsAbout} factors */
export function countFactors({ mail, totp, passkeys, passkey_after_passphrase: isAsked }) {
  return (mail.enabled ? 1 : 0) + (totp === null ? 0 : 1) + (isAsked ? passkeys.length : 0)
}

/** Whether a code can be typed when a passkey is out of reach. @param {FactorsAbout} factors */
export function hasCode({ mail, totp, recovery }) {
  return mail.enabled || totp !== null || recovery !== null
}
