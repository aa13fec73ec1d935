/** Tells the browser's password manager which passkeys are still good. Best effort: not every browser listens. */

/**
 * @typedef {{
 *   signalUnknownCredential?: (about: { rpId: string, credentialId: string }) => Promise<void>
 *   signalAllAcceptedCredentials?: (about: Accepted) => Promise<void>
 * }} Signals
 * @typedef {{ rpId: string, userId: string, allAcceptedCredentialIds: string[] }} Accepted
 */

/** @type {Signals | undefined} */
const signals = globalThis.PublicKeyCredential

/** The passkey is not of this space any more: it need not be offered again. @param {string} rpId @param {string} credentialId */
export async function tellUnknown(rpId, credentialId) {
  await signals?.signalUnknownCredential?.({ rpId, credentialId }).catch(() => {})
}

/** @param {unknown} accepted of an answer; anything else is nothing */
export async function tellAccepted(accepted) {
  if (typeof accepted !== 'object' || accepted === null) return
  const about = /** @type {Accepted} */ (accepted)
  await signals?.signalAllAcceptedCredentials?.(about).catch(() => {})
}
