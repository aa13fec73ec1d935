import { make } from './_kit/dom.js'
import { makeCode, whileBusy } from './fields.js'
import { loadFactors } from './factors-data.js'
import { isRefusal, wordsFor } from './words.js'

/** How long the button that mails a new code rests. */
const RESEND_S = 30

/** @typedef {{ two_factor_token: string, two_factor_passcode: string }} Pair */

/**
 * Asks for the code of the second step, in place of the section.
 *
 * @param {import('./main.js').Tools} tools
 * @param {{
 *   token: string
 *   submit: string
 *   busy: string
 *   renew: () => Promise<string | undefined>
 *   act: (pair: Pair) => Promise<void>
 * }} step `renew` answers a new token, and mails a new code where codes are mailed
 * @returns {Promise<Node[]>}
 */
export async function codeStep(tools, { token, submit, busy, renew, act }) {
  const { api, t, reload } = tools
  const factors = await loadFactors(api)
  const isMailed = factors.mail.enabled
  const hasDigits = isMailed || factors.totp !== null
  const hasRecovery = (factors.recovery?.left ?? 0) > 0
  if (!hasDigits && !hasRecovery) return noCode(tools)
  const words = [
    ...(isMailed ? [t('code.mailed', { address: factors.mail.address ?? '' })] : []),
    ...(factors.totp === null ? [] : [t(isMailed ? 'code.orApp' : 'code.app')]),
    ...(hasRecovery ? [t(hasDigits ? 'code.orRecovery' : 'code.recovery')] : []),
  ]
  const field = makeCode({
    id: 'passcode',
    label: t(hasDigits ? 'code.label' : 'code.recovery.label'),
    isNumeric: !hasRecovery,
  })
  const button = make('button', { class: 'button button--primary', type: 'submit' }, submit)
  const cancel = make('button', { class: 'button', type: 'button' }, t('app.cancel'))
  cancel.addEventListener('click', reload)
  let current = token
  const again = resendButton(tools, async () => {
    current = (await renew()) ?? current
    field.input.value = ''
    field.fail('')
    field.input.focus()
  })
  const form = make(
    'form',
    { class: 'box form', novalidate: '' },
    make('h2', {}, t('code.title')),
    ...words.map((text) => make('p', { class: 'muted' }, text)),
    field.root,
    make('div', { class: 'form__buttons' }, button, ...(isMailed ? [again] : []), cancel),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const code = field.input.value.trim()
    field.fail(code === '' ? t('code.empty') : '')
    if (code === '') return
    tools.warn('')
    whileBusy(button, busy, () =>
      act({ two_factor_token: current, two_factor_passcode: code }),
    ).catch((error) => {
      if (isRefusal(error, 'two_factor_invalid')) {
        field.input.select()
        field.fail(wordsFor(error, t))
      } else {
        tools.warn(wordsFor(error, t))
      }
    })
  })
  return [form]
}

/**
 * A passkey cannot answer here: the way on leads over codes that can be typed.
 *
 * @param {import('./main.js').Tools} tools
 * @returns {Node[]}
 */
function noCode({ t }) {
  return [
    make(
      'div',
      { class: 'box form' },
      make('h2', {}, t('code.title')),
      make('p', { class: 'notice notice--warning' }, t('code.none')),
      make(
        'div',
        { class: 'form__buttons' },
        make(
          'a',
          { class: 'button button--primary', href: '#/security/second-step' },
          t('code.none.open'),
        ),
      ),
    ),
  ]
}

/**
 * A button that can be pressed once in a while, and counts down until then.
 *
 * @param {import('./main.js').Tools} tools
 * @param {() => Promise<void>} act
 */
export function resendButton({ t, warn, announce }, act) {
  const button = make('button', { class: 'button', type: 'button' }, t('code.resend'))
  const rest = () => {
    const end = new Date().getTime() + RESEND_S * 1000
    button.disabled = true
    const tick = () => {
      const left = Math.ceil((end - new Date().getTime()) / 1000)
      button.disabled = left > 0
      button.textContent = left > 0 ? t('code.resendIn', { seconds: left }) : t('code.resend')
      if (left > 0 && button.isConnected) setTimeout(tick, 250)
    }
    // The first tick waits until the button is on the page.
    setTimeout(tick, 0)
  }
  button.addEventListener('click', () => {
    whileBusyQuietly(button, act).then(
      () => {
        announce(t('code.resent'))
        rest()
      },
      (error) => warn(wordsFor(error, t)),
    )
  })
  rest()
  return button
}

/** @param {HTMLButtonElement} button @param {() => Promise<void>} act */
async function whileBusyQuietly(button, act) {
  button.disabled = true
  try {
    await act()
  } finally {
    button.disabled = false
  }
}
