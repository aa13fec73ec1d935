import { ask } from './ask.js'
import { make, withName, withTime } from './_kit/dom.js'
import { makeCode, makeField, whileBusy } from './fields.js'
import { isRefusal, wordsFor } from './words.js'

/** @typedef {import('./main.js').Tools} Tools */
/** @typedef {import('./profile.js').Profile} Profile */
/** @typedef {import('./_kit/confirmation.js').Proof} Proof */
/** @typedef {'phone' | 'phone.code' | 'phone.remove'} Wish */

const PATH = '/settings/profile/phone'

/**
 * The number that texts of notifications go to. Absent where the server keeps none, and where none could be proven.
 *
 * @param {Profile} profile
 * @param {Tools} tools
 * @returns {Node[]}
 */
export function phoneCard({ phone, phone_pending: pending, sms: canText }, tools) {
  const { t } = tools
  if (!canText && phone === null) return []
  return [
    make(
      'section',
      { class: 'box', 'data-part': 'phone' },
      make('h2', {}, t('profile.phone')),
      ...(phone === null
        ? []
        : [make('p', { class: 'address' }, make('bdi', { dir: 'ltr' }, phone.number))]),
      make('p', { class: 'muted' }, t('profile.phone.about')),
      ...(phone !== null && phone.verified_at === null
        ? [make('p', { class: 'muted' }, t('profile.phone.unproven'))]
        : []),
      ...(canText && pending !== null ? [pendingNotice(pending, tools)] : []),
      make(
        'div',
        { class: 'form__buttons' },
        ...(canText
          ? [wishButton('phone', t(`profile.phone.${phone === null ? 'add' : 'change'}`), tools)]
          : []),
        ...(phone === null ? [] : [removeButton(tools)]),
      ),
    ),
  ]
}

/** @param {NonNullable<Profile['phone_pending']>} pending @param {Tools} tools */
function pendingNotice({ number, expires_at: until }, tools) {
  const { t, when } = tools
  return make(
    'div',
    { class: 'notice' },
    make(
      'div',
      {},
      make('p', {}, ...withName(t, 'profile.phone.pending', number)),
      make('p', {}, ...withTime(t, 'profile.phone.until', when(until))),
      make(
        'div',
        { class: 'form__buttons' },
        wishButton('phone.code', t('profile.phone.type'), tools),
      ),
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
      const nodes = await changePhone(name, tools, false)
      if (nodes !== undefined) swap(nodes)
    }).catch((error) => warn(wordsFor(error, t)))
  })
  return button
}

/** @param {Tools} tools */
function removeButton(tools) {
  const { t } = tools
  const button = make('button', { class: 'button', type: 'button' }, t('profile.phone.remove'))
  button.addEventListener('click', () => {
    void ask({
      title: [t('profile.phone.remove.title')],
      text: t('profile.phone.remove.text'),
      confirm: t('profile.phone.remove'),
      busy: t('app.oneMoment'),
      cancel: t('app.cancel'),
      failed: t('app.failed'),
      act: async () => {
        await changePhone('phone.remove', tools, false)
      },
    })
  })
  return button
}

/**
 * Goes on, or sends the browser to confirm first: then this never settles.
 *
 * @param {Wish} name
 * @param {Tools} tools
 * @param {boolean} isResumed
 * @returns {Promise<Node[] | undefined>} the step to show, if there is one
 */
export async function changePhone(name, tools, isResumed) {
  const { api, confirmation, done, t, tell } = tools
  const proof = confirmation.proof()
  if (proof === undefined) return confirmFor(name, tools)
  if (name === 'phone') return [numberStep(proof, tools)]
  if (name === 'phone.code') return [codeStep(proof, tools)]
  try {
    await api.remove(PATH, proof)
  } catch (error) {
    // Confirmed a moment ago and still refused: asking once more would go round in circles.
    if (isResumed || !isRefusal(error, 'confirmation_required')) throw error
    return confirmFor(name, tools)
  }
  // Resumed: the section is being loaded just now.
  if (isResumed) tell(t('profile.phone.removed'))
  else done(t('profile.phone.removed'))
  return undefined
}

/** @param {Wish} name @param {Tools} tools @returns {Promise<never>} */
function confirmFor(name, { confirmation }) {
  confirmation.forget()
  confirmation.ask({ section: 'profile', name })
  return new Promise(() => {})
}

/** @param {Proof} proof @param {Tools} tools */
function numberStep(proof, tools) {
  const { api, t, swap } = tools
  const field = makeField({
    id: 'new-phone',
    label: t('profile.phone'),
    hint: t('profile.phone.hint'),
    attributes: {
      type: 'tel',
      autocomplete: 'tel',
      inputmode: 'tel',
      maxlength: '64',
      dir: 'ltr',
      placeholder: '+33 6 12 34 56 78',
      required: '',
    },
  })
  return stepForm(tools, {
    field,
    title: t('profile.phone.add'),
    submit: t('profile.phone.submit'),
    busy: t('profile.phone.busy'),
    empty: t('problem.bad_phone'),
    name: 'phone',
    beside: ['bad_phone'],
    act: async (phone) => {
      await api.call('PUT', PATH, { ...proof, phone })
      swap([codeStep(proof, tools)])
    },
  })
}

/** @param {Proof} proof @param {Tools} tools */
function codeStep(proof, tools) {
  const { api, done, t } = tools
  const field = makeCode({
    id: 'phone-code',
    label: t('profile.phone.code'),
    hint: t('profile.phone.code.hint'),
    isNumeric: true,
  })
  return stepForm(tools, {
    field,
    title: t('profile.phone.code.title'),
    submit: t('profile.phone.confirm'),
    busy: t('app.oneMoment'),
    empty: t('code.empty'),
    name: 'phone.code',
    beside: ['phone_code_invalid', 'phone_code_expired'],
    act: async (code) => {
      await api.call('PUT', PATH, { ...proof, code })
      done(t('profile.phone.saved'))
    },
  })
}

/**
 * One question, in place of the section.
 *
 * @param {Tools} tools
 * @param {{
 *   field: import('./fields.js').Field
 *   title: string
 *   submit: string
 *   busy: string
 *   empty: string
 *   name: Wish
 *   beside: readonly string[]
 *   act: (typed: string) => Promise<void>
 * }} step `beside`: refusals that are said beside the field
 */
function stepForm(tools, { field, title, submit, busy, empty, name, beside, act }) {
  const { t, reload, warn } = tools
  const send = make('button', { class: 'button button--primary', type: 'submit' }, submit)
  const cancel = make('button', { class: 'button', type: 'button' }, t('app.cancel'))
  cancel.addEventListener('click', reload)
  const form = make(
    'form',
    { class: 'box form', novalidate: '' },
    make('h2', {}, title),
    field.root,
    make('div', { class: 'form__buttons' }, send, cancel),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const typed = field.input.value.trim()
    field.fail(typed === '' ? empty : '')
    if (typed === '') return
    warn('')
    whileBusy(send, busy, () => act(typed)).catch((error) => {
      if (isRefusal(error, ...beside)) field.fail(wordsFor(error, t))
      else if (isRefusal(error, 'confirmation_required')) void confirmFor(name, tools)
      else warn(wordsFor(error, t))
    })
  })
  return form
}
