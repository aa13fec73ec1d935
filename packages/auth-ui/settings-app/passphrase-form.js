import { derivePassphrase, NEW_PASSPHRASE_ITERATIONS, otherSpelling } from './_kit/derive.js'
import { make } from './_kit/dom.js'
import { makeField, makePassphrase, painted, whileBusy } from './fields.js'
import { givesAway } from './_kit/strength.js'
import { makeStrength, wordsOf } from './strength-field.js'
import { isRefusal, wordsFor } from './words.js'

/** @typedef {import('./passphrase.js').Derivation} Derivation */

/**
 * A new passphrase, and the reminder of it.
 *
 * @param {Derivation} derivation
 * @param {import('./main.js').Tools} tools
 */
export function changeForm({ salt, iterations, password_defined: isDefined = true }, tools) {
  const { t, domain, name } = tools
  const current = makePassphrase(
    { id: 'current', label: t('passphrase.current'), autocomplete: 'current-password' },
    t,
  )
  const strength = makeStrength(t, [domain, name])
  const chosen = makePassphrase(
    {
      id: 'new',
      label: t('passphrase.new'),
      hint: t('passphrase.new.hint'),
      autocomplete: 'new-password',
      after: [strength.root],
    },
    t,
  )
  strength.watch(chosen)
  const hint = makeField({
    id: 'reminder',
    label: t('hint.optional'),
    hint: t('hint.replaces'),
    attributes: { type: 'text', maxlength: '512', autocomplete: 'off' },
  })
  hint.input.addEventListener('input', () => {
    if (!givesAway(hint.input.value, chosen.input.value)) hint.fail('')
  })
  const button = make(
    'button',
    { class: 'button button--primary', type: 'submit' },
    t(isDefined ? 'passphrase.submit' : 'passphrase.first.submit'),
  )
  const form = make(
    'form',
    { class: 'form', novalidate: '' },
    make('h3', {}, t(isDefined ? 'passphrase.change' : 'passphrase.first')),
    make('p', { class: 'muted' }, t(isDefined ? 'passphrase.effects' : 'passphrase.first.text')),
    // Lets password managers file the new passphrase under the space rather than under this app.
    make('input', {
      class: 'visually-hidden',
      type: 'text',
      autocomplete: 'username',
      value: domain,
      readonly: '',
      tabindex: '-1',
      'aria-hidden': 'true',
    }),
    ...(isDefined ? [current.root] : []),
    chosen.root,
    hint.root,
    make('div', { class: 'form__buttons' }, button),
  )

  const isReady = () => {
    const typed = chosen.input.value
    const judged = strength.judge.of(typed)
    const isWeak = judged.level === 'weak'
    const isGiven = givesAway(hint.input.value, typed)
    // From the last to the first: focus ends at the first that is wrong.
    hint.fail(isGiven ? t('hint.equal') : '')
    chosen.fail(
      typed === '' ? t('passphrase.new.empty') : isWeak ? t(`passphrase.${wordsOf(judged)}`) : '',
    )
    const isMissing = isDefined && current.input.value === ''
    current.fail(isMissing ? t('passphrase.current.empty') : '')
    return !isGiven && typed !== '' && !isWeak && !isMissing
  }
  const change = async () => {
    await painted()
    const fresh = chosen.input.value.normalize('NFC')
    const change = {
      new_passphrase: await derivePassphrase(fresh, salt, NEW_PASSPHRASE_ITERATIONS),
      iterations: NEW_PASSPHRASE_ITERATIONS,
      hint: hint.input.value.trim(),
    }
    if (!isDefined) return send({ force: true, ...change }, tools)
    /** @param {string} typed */
    const sendWith = async (typed) => {
      const current_passphrase = await derivePassphrase(typed, salt, iterations)
      await send({ current_passphrase, ...change }, tools)
    }
    const typed = current.input.value
    const other = otherSpelling(typed)
    await sendWith(typed).catch((error) => {
      if (other === typed || !isRefusal(error, 'invalid_passphrase')) throw error
      return sendWith(other)
    })
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (button.disabled) return
    current.hide()
    chosen.hide()
    tools.warn('')
    whileBusy(button, t('passphrase.busy'), async () => {
      await strength.judge.load()
      if (isReady()) await change()
    }).catch((error) => {
      if (isRefusal(error, 'invalid_passphrase')) current.fail(wordsFor(error, t))
      else if (isRefusal(error, 'invalid_hint')) hint.fail(wordsFor(error, t))
      else tools.warn(wordsFor(error, t))
    })
  })
  return form
}

/**
 * @param {{ current_passphrase?: string, force?: boolean, [name: string]: unknown }} change
 * @param {import('./main.js').Tools} tools
 */
async function send(change, tools) {
  const { api, t } = tools
  const isFirst = change.force === true
  const answer = await api.call('PUT', '/settings/passphrase', change)
  const token = tokenOf(answer)
  if (token === undefined) {
    finish(tools, isFirst)
    return
  }
  const { current_passphrase: _current, force: _force, ...rest } = change
  const { codeStep } = await import('./code-step.js')
  const step = await codeStep(tools, {
    token,
    submit: t('passphrase.submit'),
    busy: t('passphrase.busy'),
    renew: async () => tokenOf(await api.call('PUT', '/settings/passphrase', change)),
    act: async (pair) => {
      await api.call('PUT', '/settings/passphrase', { ...rest, ...pair })
      finish(tools, isFirst)
    },
  })
  tools.swap(step)
}

/** @param {unknown} answer */
function tokenOf(answer) {
  const { two_factor_token: token } = /** @type {{ two_factor_token?: string }} */ (answer ?? {})
  return token
}

/** @param {import('./main.js').Tools} tools @param {boolean} isFirst */
function finish({ confirmation, done, t }, isFirst) {
  // It died with the old passphrase.
  confirmation.forget()
  done(t(isFirst ? 'passphrase.first.set' : 'passphrase.changed'))
}
