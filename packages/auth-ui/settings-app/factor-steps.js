import { resendButton } from './code-step.js'
import { copyButton, saveButton } from './copy.js'
import { make } from './_kit/dom.js'
import { loadFactors } from './factors-data.js'
import { makeCode, whileBusy } from './fields.js'
import { drawQr } from './qr.js'
import { isRefusal, wordsFor } from './words.js'

/** @typedef {import('./main.js').Tools} Tools */

/**
 * Setting an authenticator app up: scan or type the key, then prove it with a code.
 *
 * @param {unknown} answer of `POST /settings/factors/totp`
 * @param {Tools} tools
 * @returns {Node[]}
 */
export function totpStep(answer, tools) {
  const { api, t } = tools
  const { secret, uri, qr } =
    /** @type {{ secret: string, uri: string, qr: readonly string[] }} */ (answer)
  const intro = [
    make('h2', {}, t('totp.step.title')),
    make(
      'ol',
      { class: 'steps' },
      make('li', {}, t('totp.step.1')),
      make('li', {}, t('totp.step.2')),
      make('li', {}, t('totp.step.3')),
    ),
    make(
      'div',
      { class: 'scan' },
      drawQr(qr, t('totp.step.qr')),
      make(
        'div',
        { class: 'scan__text' },
        make('p', { class: 'muted small' }, t('totp.step.key')),
        make('p', { class: 'secret' }, make('code', { dir: 'ltr' }, inFours(secret))),
        make(
          'div',
          { class: 'form__buttons' },
          copyButton(secret, t('totp.step.copy'), tools),
          make('a', { class: 'button button--quiet', href: uri }, t('totp.step.open')),
        ),
      ),
    ),
  ]
  return [
    codeForm(tools, {
      intro,
      label: t('totp.step.code'),
      submit: t('totp.step.submit'),
      act: async (code) => {
        const codes = await api.call('PUT', '/settings/factors/totp', { code })
        if (codes === undefined) tools.done(t('totp.added'))
        else tools.swap(await keepStep(codes, tools))
      },
      again: [],
    }),
  ]
}

/**
 * Nothing but the app would be there after a phone is lost: it is turned on once the owner has the recovery codes.
 *
 * @param {unknown} answer of `PUT /settings/factors/totp`
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
async function keepStep(answer, tools) {
  const { api, t, warn, reload } = tools
  const { mail } = await loadFactors(api)
  const kept = make(
    'button',
    { class: 'button button--primary', type: 'button' },
    t('totp.codes.submit'),
  )
  kept.addEventListener('click', () => {
    warn('')
    whileBusy(kept, t('app.oneMoment'), async () => {
      await api.call('PUT', '/settings/factors/totp', { kept: true })
      tools.done(t('totp.added.codes'))
    }).catch((error) => warn(isRefusal(error, 'not_found') ? t('code.over') : wordsFor(error, t)))
  })
  const cancel = make('button', { class: 'button', type: 'button' }, t('app.cancel'))
  cancel.addEventListener('click', reload)
  const other =
    mail.address === undefined ? [] : [make('p', { class: 'muted small' }, t('totp.codes.other'))]
  return [
    codesBox(answer, tools, {
      title: t('totp.codes.title'),
      text: t('totp.codes.text'),
      buttons: [kept, cancel],
      after: other,
    }),
  ]
}

/** @param {string} secret */
function inFours(secret) {
  return (secret.match(/.{1,4}/gu) ?? []).join(' ')
}

/**
 * Turning mailed codes on: the first one proves that mails arrive.
 *
 * @param {import('./_kit/confirmation.js').Proof} proof
 * @param {Tools} tools
 * @returns {Node[]}
 */
export function mailStep(proof, tools) {
  const { api, t } = tools
  return [
    codeForm(tools, {
      intro: [
        make('h2', {}, t('mail.step.title')),
        make('p', { class: 'muted' }, t('mail.step.text')),
      ],
      label: t('mail.step.code'),
      submit: t('mail.step.submit'),
      act: async (code) => {
        await api.call('PUT', '/settings/factors/mail', { ...proof, code })
        tools.done(t('mail.added'))
      },
      again: [
        resendButton(tools, async () => {
          await api.call('PUT', '/settings/factors/mail', proof)
        }),
      ],
    }),
  ]
}

/**
 * @param {Tools} tools
 * @param {{
 *   intro: readonly Node[]
 *   label: string
 *   submit: string
 *   act: (code: string) => Promise<void>
 *   again: readonly Node[]
 * }} step
 */
function codeForm(tools, { intro, label, submit, act, again }) {
  const { t, reload, warn } = tools
  const field = makeCode({ id: 'code', label, isNumeric: true })
  const button = make('button', { class: 'button button--primary', type: 'submit' }, submit)
  const cancel = make('button', { class: 'button', type: 'button' }, t('app.cancel'))
  cancel.addEventListener('click', reload)
  const form = make(
    'form',
    { class: 'box form', novalidate: '' },
    ...intro,
    field.root,
    make('div', { class: 'form__buttons' }, button, ...again, cancel),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const code = field.input.value.replace(/\s/gu, '')
    field.fail(code === '' ? t('code.empty') : '')
    if (code === '') return
    warn('')
    whileBusy(button, t('app.oneMoment'), () => act(code)).catch((error) => {
      if (isRefusal(error, 'two_factor_invalid')) {
        field.input.select()
        field.fail(wordsFor(error, t))
        return
      }
      // The key or the code that was mailed is gone: this step begins again.
      const isOver = isRefusal(error, 'not_found', 'two_factor_expired', 'confirmation_required')
      warn(isOver ? t('code.over') : wordsFor(error, t))
    })
  })
  return form
}

/**
 * The recovery codes, shown this one time.
 *
 * @param {unknown} answer of `POST /settings/factors/recovery_codes`
 * @param {Tools} tools
 * @returns {Node[]}
 */
export function recoveryStep(answer, tools) {
  const { t, done } = tools
  const kept = make(
    'button',
    { class: 'button button--primary', type: 'button' },
    t('recovery.kept'),
  )
  kept.addEventListener('click', () => done(t('recovery.created')))
  return [
    codesBox(answer, tools, {
      title: t('recovery.step.title'),
      text: t('recovery.step.text'),
      buttons: [kept],
    }),
  ]
}

/**
 * @param {unknown} answer with the codes
 * @param {Tools} tools
 * @param {{ title: string, text: string, buttons: readonly Node[], after?: readonly Node[] }} about
 */
function codesBox(answer, tools, { title, text, buttons, after = [] }) {
  const { t, domain } = tools
  const { codes } = /** @type {{ codes: readonly string[] }} */ (answer)
  const file = `${t('recovery.file', { domain })}\n\n${codes.join('\n')}\n`
  return make(
    'div',
    { class: 'box form' },
    make('h2', {}, title),
    make('p', { class: 'notice notice--warning' }, text),
    make(
      'ol',
      { class: 'codes', 'aria-label': t('recovery.name') },
      ...codes.map((code) => make('li', {}, make('code', { dir: 'ltr' }, code))),
    ),
    make(
      'div',
      { class: 'form__buttons' },
      copyButton(codes.join('\n'), t('recovery.copy'), tools),
      saveButton(
        file,
        `${domain.replace(/[^a-z0-9.-]/giu, '_')}-recovery-codes.txt`,
        t('recovery.save'),
      ),
    ),
    make('div', { class: 'form__buttons' }, ...buttons),
    ...after,
  )
}
