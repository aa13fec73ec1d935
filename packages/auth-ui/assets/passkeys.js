/** Passkeys by the browser's own reading and writing of JSON; browsers without it do not offer them here. */

const { PublicKeyCredential: Credential } = globalThis

/** Whether a passkey can answer on this page. */
export const canAnswerWithPasskey = () =>
  typeof Credential?.parseRequestOptionsFromJSON === 'function' && isSecureContext

/** Whether a passkey can be made on this page. */
export const canMakePasskey = () =>
  typeof Credential?.parseCreationOptionsFromJSON === 'function' && isSecureContext

/**
 * @param {string} options `PublicKeyCredentialRequestOptionsJSON`
 * @returns {Promise<string | undefined>} the assertion as JSON; undefined when the owner or the device gave none
 */
export async function answerWithPasskey(options) {
  try {
    const publicKey = Credential.parseRequestOptionsFromJSON(JSON.parse(options))
    return toText(await navigator.credentials.get({ publicKey }))
  } catch {
    return undefined
  }
}

/**
 * @param {string} options `PublicKeyCredentialCreationOptionsJSON`
 * @returns {Promise<string>} the new credential as JSON
 * @throws DOMException `InvalidStateError` when the device keeps one already; others when none was made
 */
export async function makePasskey(options) {
  const publicKey = Credential.parseCreationOptionsFromJSON(JSON.parse(options))
  const text = toText(await navigator.credentials.create({ publicKey }))
  if (text === undefined) throw new DOMException('no credential', 'NotAllowedError')
  return text
}

/** @param {globalThis.Credential | null} credential */
function toText(credential) {
  return credential instanceof Credential ? JSON.stringify(credential.toJSON()) : undefined
}
