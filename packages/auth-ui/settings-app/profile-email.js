import { make, withName, withTime } from './_kit/dom.js'
import { hasOldFactor, loadFactors } from './factors-data.js'
import { makeField, wayElsewhere, whileBusy } from './fields.js'
import { isRefusal, wordsFor } from './words.js'

/** @typedef {import('./main.js').Tools} Tools */
/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./_kit/confirmation.js').Proof} Proof */

const SECTION = 'profile'

/**
 * The address, and what is under way.
 *
 * @param {Profile} profile
 * @param {Record<string, string>} links
 * @param {Tools} tools
 */
export function emailCard(profile, links, tools) {
  const { t } = tools
  const { email, email_pending: pending, email_previous: previous } = profile
  const isHeld = previous?.can_undo === true
  const elsewhere = links['email']
  return make(
    'section',
    { class: 'box', id: 'email', 'data-part': 'address' },
    make('h2', {}, t('profile.email')),
    email === null
      ? make('p', {}, t('profile.email.none'))
      : make('p', { class: 'address' }, make('bdi', { dir: 'ltr' }, email)),
    ...(pending === null || elsewhere !== undefined ? [] : [pendingNotice(pending, tools)]),
    ...(previous === null ? [] : [previousNotice(previous, tools)]),
    make(
      'div',
      { class: 'form__buttons' },
      ...(elsewhere !== undefined
        ? [wayElsewhere(elsewhere, t)]
        : isHeld || pending !== null
          ? []
          : [
              changeButton(t(email === null ? 'profile.email.add' : 'profile.email.change'), tools),
            ]),
    ),
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

/** @param {string} label @param {Tools} tools */
function changeButton(label, tools) {
  const { t, swap, warn } = tools
  const button = make('button', { class: 'button', type: 'button' }, label)
  button.addEventListener('click', () => {
    warn('')
    whileBusy(button, t('app.oneMoment'), async () => swap(await changeEmail(tools))).catch(
      (error) => warn(wordsFor(error, t)),
    )
  })
  return button
}

/**
 * Asks for the new address, or sends the browser to confirm first: then this never settles.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>} the step to show
 */
export async function changeEmail(tools) {
  const { confirmation } = tools
  const proof = confirmation.proof()
  if (proof !== undefined) return emailStep(proof, tools)
  confirmation.ask({ section: SECTION, name: 'email' })
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
