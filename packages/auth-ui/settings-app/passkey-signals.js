/**
 * Tells the browser's password manager which passkeys are still good, and whose they are. Best effort: not every
 * browser listens, and none does on an app's host that is not below the space's own.
 */

/** @typedef {import('./factors-data.js').FactorsAbout} FactorsAbout */
/**
 * @typedef {object} Signals
 * @property {(about: { rpId: string, userId: string, allAcceptedCredentialIds: string[] }) => Promise<void>} [signalAllAcceptedCredentials]
 * @property {(about: { rpId: string, userId: string, name: string, displayName: string }) => Promise<void>} [signalCurrentUserDetails]
 */

/** @type {Signals | undefined} */
const signals = globalThis.PublicKeyCredential

/** @param {FactorsAbout} factors as they are after an addition, a removal or a new public name */
export async function tellPasskeys({ passkeys, passkey_user: user }) {
  const about = { rpId: user.rp_id, userId: user.id }
  const accepted = { ...about, allAcceptedCredentialIds: passkeys.map(({ id }) => id) }
  const details = { ...about, name: user.name, displayName: user.display_name }
  await Promise.allSettled([
    signals?.signalAllAcceptedCredentials?.(accepted),
    passkeys.length === 0 ? undefined : signals?.signalCurrentUserDetails?.(details),
  ])
}
