import { make, withName, withTime } from './_kit/dom.js'
import { hasOldFactor, loadFactors } from './factors-data.js'
import { makeField, whileBusy } from './fields.js'
import { isRefusal, wordsFor } from './words.js'

/** @typedef {import('./main.js').Tools} Tools */
/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./_kit/confirmation.js').Proof} Proof */
/** @typedef {'email' | 'link.on' | 'link.off'} Wish */

const SECTION = 'profile'

/**
 * The address, what is under way, and whether a mailed link logs in.
 *
 * @param {Profile} profile
 * @param {Tools} tools
 */
export function emailCard(profile, tools) {
  const { t } = tools
  const { email, email_pending: pending, email_previous: previous, magic_link: isOn } = profile
  const isHeld = previous?.can_undo === true
  return make(
    'section',
    { class: 'box', id: 'email' },
    make('h2', {}, t('profile.email')),
    email === null
      ? make('p', {}, t('profile.email.none'))
      : make('p', { class: 'address' }, make('bdi', { dir: 'ltr' }, email)),
    ...(pending === null ? [] : [pendingNotice(pending, tools)]),
    ...(previous === null ? [] : [previousNotice(previous, tools)]),
    make(
      'div',
      { class: 'form__buttons' },
      ...(isHeld || pending !== null
        ? []
        : [
            wishButton(
              'email',
              t(email === null ? 'profile.email.add' : 'profile.email.change'),
              tools,
            ),
          ]),
    ),
    ...(email === null && !isOn
      ? []
      : [
          make('h3', {}, t('profile.link')),
          make('p', { class: 'muted' }, t(isOn ? 'profile.link.isOn' : 'profile.link.isOff')),
          make(
            'div',
            { class: 'form__buttons' },
            wishButton(
              isOn ? 'link.off' : 'link.on',
              t(isOn ? 'profile.link.off' : 'profile.link.on'),
              tools,
            ),
          ),
        ]),
  )
}

/** @param {NonNullable<Profile['email_pending']>} pending @param {Tools} tools */
function pendingNotice({ address, expires_at: until }, tools) {
  const { api, t, when, done, warn } = tools
  const again = make('button', { class: 'button', type: 'button' }, t('profile.email.resend'))
  const cancel = make('button', { class: 'button', type: 'button' }, t('profile.email.cancel'))
  again.addEventListener('click', () => {
    whileBusy(again, t('profile.email.busy'), async () => {
      await api.call('POST', '/settings/profile/email/resend')
      done(t('profile.email.resent'))
    }).catch((error) => warn(wordsFor(error, t)))
  })
  cancel.addEventListener('click', () => {
    whileBusy(cancel, t('app.oneMoment'), async () => {
      await api.remove('/settings/profile/email/pending')
      done(t('profile.email.cancelled'))
    }).catch((error) => warn(wordsFor(error, t)))
  })
  return make(
    'div',
    { class: 'notice' },
    make(
      'div',
      {},
      make('p', {}, ...withName(t, 'profile.email.pending', address)),
      make('p', {}, ...withTime(t, 'profile.email.until', when(until))),
      make('div', { class: 'form__buttons' }, again, cancel),
    ),
  )
}

/** @param {NonNullable<Profile['email_previous']>} previous @param {Tools} tools */
function previousNotice({ address, until, can_undo: canUndo }, { t, when }) {
  return make(
    'div',
    { class: 'notice' },
    make(
      'div',
      {},
      make(
        'p',
        {},
        ...withName(t, canUndo ? 'profile.email.undo' : 'profile.email.final', address),
      ),
      ...(canUndo ? [make('p', {}, ...withTime(t, 'profile.email.held', when(until)))] : []),
    ),
  )
}

/** @param {Wish} name @param {string} label @param {Tools} tools */
function wishButton(name, label, tools) {
  const { t, swap, warn } = tools
  const button = make('button', { class: 'button', type: 'button' }, label)
  button.addEventListener('click', () => {
    warn('')
    whileBusy(button, t('app.oneMoment'), async () => {
      const step = await fulfil(name, tools, false)
      if (step !== undefined) swap(step)
    }).catch((error) => warn(wordsFor(error, t)))
  })
  return button
}

/**
 * Goes on with what the owner has confirmed.
 *
 * @param {import('./_kit/confirmation.js').Intent} intent
 * @param {Tools} tools
 */
export function resumeEmail(intent, tools) {
  return fulfil(/** @type {{ name: Wish }} */ (/** @type {unknown} */ (intent)).name, tools, true)
}

/**
 * Does it, or sends the browser to confirm first: then this never settles.
 *
 * @param {Wish} name
 * @param {Tools} tools
 * @param {boolean} isResumed
 * @returns {Promise<Node[] | undefined>} the next step to show, if there is one
 */
async function fulfil(name, tools, isResumed) {
  const { api, confirmation, done, tell, t } = tools
  const proof = confirmation.proof()
  if (proof !== undefined) {
    if (name === 'email') return emailStep(proof, tools)
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
  confirmation.ask({ section: SECTION, name })
  return new Promise(() => {})
}

/** @param {Proof} proof @param {Tools} tools @returns {Promise<Node[]>} */
async function emailStep(proof, tools) {
  const { api, t, done, reload, warn, confirmation } = tools
  const canLose = hasOldFactor(await loadFactors(api))
  const field = makeField({
    id: 'new-email',
    label: t('profile.email.step'),
    hint: t('profile.email.step.hint'),
    attributes: {
      type: 'email',
      autocomplete: 'email',
      autocapitalize: 'none',
      spellcheck: 'false',
      maxlength: '254',
      dir: 'ltr',
      required: '',
    },
  })
  const lost = make('input', { type: 'checkbox', 'aria-describedby': 'lost-hint' })
  const send = make(
    'button',
    { class: 'button button--primary', type: 'submit' },
    t('profile.email.submit'),
  )
  const cancel = make('button', { class: 'button', type: 'button' }, t('app.cancel'))
  cancel.addEventListener('click', reload)
  const form = make(
    'form',
    { class: 'box form', novalidate: '' },
    make('h2', {}, t('profile.email.change')),
    field.root,
    ...(canLose
      ? [
          make(
            'label',
            { class: 'check' },
            lost,
            make('span', { class: 'check__text' }, t('profile.email.lost')),
          ),
          make('p', { class: 'muted small', id: 'lost-hint' }, t('profile.email.lost.hint')),
        ]
      : []),
    make('div', { class: 'form__buttons' }, send, cancel),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const email = field.input.value.trim()
    field.fail(email === '' ? t('problem.bad_address') : '')
    if (email === '') return
    warn('')
    whileBusy(send, t('profile.email.busy'), async () => {
      const change = { ...proof, email, ...(lost.checked ? { old_mailbox_lost: true } : {}) }
      await api.call('PUT', '/settings/profile/email', change)
      done(t('profile.email.sent'))
    }).catch((error) => {
      if (isRefusal(error, 'bad_address', 'same_address')) field.fail(wordsFor(error, t))
      else if (!isRefusal(error, 'confirmation_required')) warn(wordsFor(error, t))
      else if (lost.checked) warn(t('profile.email.lost.refused'))
      else {
        confirmation.forget()
        confirmation.ask({ section: SECTION, name: 'email' })
      }
    })
  })
  return [form]
}
