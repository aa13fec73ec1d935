import { make } from './_kit/dom.js'
import { whileBusy } from './fields.js'
import { rowText } from './parts.js'
import { isRefusal, wordsFor } from './words.js'

/** @typedef {import('./main.js').Tools} Tools */
/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {'link.on' | 'link.off'} Wish */

/**
 * Whether a link that is emailed logs in.
 *
 * @param {Tools} tools
 */
export async function linkCard(tools) {
  const { api, t } = tools
  const answer = await api.call('GET', '/settings/profile')
  // The shape of `GET /settings/profile`.
  const { data } = /** @type {{ data: { attributes: Profile } }} */ (answer)
  const { email, magic_link: isOn } = data.attributes
  const text = isOn
    ? 'profile.link.isOn'
    : email === null
      ? 'profile.link.noEmail'
      : 'profile.link.isOff'
  const button =
    email === null && !isOn
      ? make('a', { class: 'button', href: '#/profile/address' }, t('profile.email.add'))
      : wishButton(isOn ? 'link.off' : 'link.on', tools)
  return make(
    'li',
    { class: 'item item--plain item--factor', 'data-part': 'login-link' },
    rowText({ title: t('profile.link'), text: t(text), isOn: isOn ? t('factor.isOn') : '' }),
    make('div', { class: 'item__buttons' }, button),
  )
}

/** @param {Wish} name @param {Tools} tools */
function wishButton(name, tools) {
  const { t, warn } = tools
  const button = make('button', { class: 'button', type: 'button' }, t(`profile.${name}`))
  button.addEventListener('click', () => {
    warn('')
    whileBusy(button, t('app.oneMoment'), () => change(name, tools, false)).catch((error) =>
      warn(wordsFor(error, t)),
    )
  })
  return button
}

/**
 * Goes on with what the owner has confirmed.
 *
 * @param {import('./_kit/confirmation.js').Intent} intent
 * @param {Tools} tools
 */
export function resumeLink(intent, tools) {
  return change(intent.name === 'link.on' ? 'link.on' : 'link.off', tools, true)
}

/**
 * Does it, or sends the browser to confirm first: then this never settles.
 *
 * @param {Wish} name
 * @param {Tools} tools
 * @param {boolean} isResumed
 * @returns {Promise<undefined>}
 */
async function change(name, { api, confirmation, done, tell, t }, isResumed) {
  const proof = confirmation.proof()
  if (proof !== undefined) {
    try {
      const enabled = name === 'link.on'
      await api.call('PUT', '/settings/magic_link', { ...proof, enabled })
      const said = t(enabled ? 'profile.link.wasOn' : 'profile.link.wasOff')
      // Resumed: the section is being loaded just now.
      if (isResumed) tell(said)
      else done(said)
      return undefined
    } catch (error) {
      if (!isRefusal(error, 'confirmation_required')) throw error
      confirmation.forget()
      // Confirmed a moment ago and still refused: asking once more would go round in circles.
      if (isResumed) throw error
    }
  }
  confirmation.ask({ section: 'security', name })
  return new Promise(() => {})
}
