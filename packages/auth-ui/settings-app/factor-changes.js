import { keepKnownPasskeys, loadFactors } from './factors-data.js'
import { isRefusal } from './words.js'

/**
 * What can be done to the factors; each needs a fresh confirmation.
 *
 * @typedef {object} Change
 * @property {'security'} section
 * @property {'totp.add' | 'totp.remove' | 'mail.on' | 'mail.off' | 'passkey.add' | 'passkey.remove'
 *   | 'passkey.ask' | 'passkey.ask.off' | 'passkey.trust' | 'recovery.create' | 'recovery.remove'} name
 * @property {string} [id] of a passkey
 */
/** @typedef {import('./_kit/confirmation.js').Proof} Proof */
/** @typedef {import('./main.js').Tools} Tools */

/**
 * Does it, or sends the browser to confirm first: then this never settles, the section goes on after coming back.
 *
 * @param {Change} change
 * @param {Tools} tools
 * @param {{ isResumed: boolean }} how
 * @returns {Promise<Node[] | undefined>} the next step to show, if there is one
 * @throws ApiError
 */
export async function changeFactor(change, tools, { isResumed }) {
  const { confirmation } = tools
  const proof = confirmation.proof()
  if (proof !== undefined) {
    try {
      return await CHANGES[change.name](proof, tools, change.id ?? '', isResumed)
    } catch (error) {
      if (!isRefusal(error, 'confirmation_required')) throw error
      confirmation.forget()
      // Confirmed a moment ago and still refused: asking once more would go round in circles.
      if (isResumed) throw error
    }
  }
  confirmation.ask(change)
  return new Promise(() => {})
}

/** Their pages come when one is needed: before anything is begun on the server. */
const steps = () => import('./factor-steps.js')

const ASKED = '/settings/factors/passkey_after_passphrase'

/** @type {Readonly<Record<Change['name'], (proof: Proof, tools: Tools, id: string, isResumed: boolean) => Promise<Node[] | undefined>>>} */
const CHANGES = {
  'totp.add': async (proof, tools) =>
    (await steps()).totpStep(await tools.api.call('POST', '/settings/factors/totp', proof), tools),
  'totp.remove': remover(() => '/settings/factors/totp', 'totp.removed'),
  'mail.on': async (proof, tools) => {
    await tools.api.call('PUT', '/settings/factors/mail', proof)
    return (await steps()).mailStep(proof, tools)
  },
  'mail.off': remover(() => '/settings/factors/mail', 'mail.removed'),
  'passkey.add': async (proof, { api }) => {
    keepKnownPasskeys(await loadFactors(api))
    const query = new URLSearchParams({
      code: proof.confirmation_code,
      state: proof.confirmation_state,
    })
    // A passkey is made on the instance's own page: its name is what the passkey is bound to.
    location.assign(`${api.origin}/auth/passkey?${query}`)
    return new Promise(() => {})
  },
  'passkey.remove': remover(
    (id) => `/settings/factors/passkeys/${encodeURIComponent(id)}`,
    'passkey.removed',
  ),
  'passkey.ask': changer(() => ASKED, 'PUT', { enabled: true }, 'passkey.ask.done'),
  'passkey.ask.off': changer(() => ASKED, 'PUT', { enabled: false }, 'passkey.ask.off.done'),
  'passkey.trust': changer(
    (id) => `/settings/factors/passkeys/${encodeURIComponent(id)}`,
    'PATCH',
    { trusted: true },
    'passkey.trusted',
  ),
  'recovery.create': async (proof, tools) =>
    (await steps()).recoveryStep(
      await tools.api.call('POST', '/settings/factors/recovery_codes', proof),
      tools,
    ),
  'recovery.remove': remover(() => '/settings/factors/recovery_codes', 'recovery.removed'),
}

/**
 * @param {(id: string) => string} pathOf
 * @param {string} said
 * @returns {(proof: Proof, tools: Tools, id: string, isResumed: boolean) => Promise<undefined>}
 */
function remover(pathOf, said) {
  return async (proof, { api, t, done, tell }, id, isResumed) => {
    await api.remove(pathOf(id), proof)
    // Resumed: the section is being loaded just now.
    if (isResumed) tell(t(said))
    else done(t(said))
    return undefined
  }
}

/**
 * @param {(id: string) => string} pathOf
 * @param {'PATCH' | 'PUT'} method
 * @param {object} change
 * @param {string} said
 * @returns {(proof: Proof, tools: Tools, id: string, isResumed: boolean) => Promise<undefined>}
 */
function changer(pathOf, method, change, said) {
  return async (proof, { api, t, done, tell }, id, isResumed) => {
    await api.call(method, pathOf(id), { ...proof, ...change })
    if (isResumed) tell(t(said))
    else done(t(said))
    return undefined
  }
}
