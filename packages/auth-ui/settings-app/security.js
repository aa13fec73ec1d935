import { make, shownName } from './_kit/dom.js'
import { changeFactor } from './factor-changes.js'
import { loadFactors, takeNewPasskey } from './factors-data.js'
import { secondStep } from './factors.js'
import { hintCard } from './hint.js'
import { linkCard, resumeLink } from './login-link.js'
import { passkeysCard } from './passkeys-card.js'
import { loadDerivation, passphraseCard } from './passphrase.js'
import { part } from './states.js'
import { wordsFor } from './words.js'

/** @typedef {import('./factor-changes.js').Change} Change */
/** @typedef {import('./main.js').Tools} Tools */

/**
 * How the owner logs in: what opens the space, and what is asked for besides.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function securitySection(tools) {
  const { api, t, warn, tell, confirmation } = tools
  const intent = confirmation.take('security')
  let problem = ''
  if (intent !== undefined) {
    // What the owner confirmed a moment ago goes on by itself.
    try {
      const step = intent.name.startsWith('link.')
        ? await resumeLink(intent, tools)
        : await changeFactor(/** @type {Change} */ (intent), tools, { isResumed: true })
      if (step !== undefined) return step
    } catch (error) {
      problem = wordsFor(error, t)
    }
  }
  // Everything about factors is one answer: without it neither passkeys nor the second step can be shown.
  const factors = await loadFactors(api)
  const added = takeNewPasskey(factors)
  if (added !== undefined) tell(t('passkey.added', { name: shownName(added.label) }))
  const cards = await Promise.all(
    [
      () => passphraseCards(tools),
      async () => [passkeysCard(factors, tools)],
      async () => [await linkCard(tools)],
    ].map((load) => part(t, async () => [make('ul', { class: 'cards' }, ...(await load()))])),
  )
  const nodes = [
    make(
      'section',
      { class: 'group', 'aria-labelledby': 'ways' },
      make('h2', { class: 'group__title', id: 'ways' }, t('security.ways')),
      make('div', { class: 'joined' }, ...cards),
    ),
    secondStep(factors, tools),
    loginHistory(tools),
  ]
  if (problem !== '') warn(problem)
  return nodes
}

/** The passphrase and the reminder of it: one answer tells of both.  @param {Tools} tools */
async function passphraseCards(tools) {
  const derivation = await loadDerivation(tools.api)
  return [passphraseCard(derivation, tools), hintCard(derivation, tools)]
}

/** The history of log-ins, which is read when it is opened.  @param {Tools} tools */
function loginHistory(tools) {
  const { t } = tools
  const fold = make(
    'details',
    { class: 'box box--wide fold' },
    make('summary', {}, make('h2', {}, t('logins.title'))),
  )
  fold.addEventListener(
    'toggle',
    async () => {
      const load = async () => [await (await import('./logins.js')).loginsList(tools)]
      fold.append(await part(t, load))
    },
    { once: true },
  )
  return fold
}
