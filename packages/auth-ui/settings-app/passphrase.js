import { make } from './_kit/dom.js'
import { foldedCard } from './parts.js'

/** @typedef {{ salt: string, iterations: number, password_defined?: boolean, hint_defined?: boolean }} Derivation */

/**
 * What there is to know about the passphrase, and whether there is a reminder of it.
 *
 * @param {import('./main.js').Tools['api']} api
 */
export async function loadDerivation(api) {
  const answer = await api.call('GET', '/settings/passphrase')
  // The shape of `GET /settings/passphrase`.
  return /** @type {{ data: { attributes: Derivation } }} */ (answer).data.attributes
}

/**
 * The passphrase: whether there is one, and a new one.
 *
 * @param {Derivation} derivation
 * @param {import('./main.js').Tools} tools
 */
export function passphraseCard(derivation, tools) {
  const { t } = tools
  const isSet = derivation.password_defined ?? true
  // Browsers derive it over secure connections alone.
  if (!isSecureContext) {
    return make(
      'li',
      { class: 'item item--plain', 'data-part': 'passphrase' },
      make('h3', { class: 'item__name' }, t('passphrase.title')),
      make('p', { class: 'notice notice--danger' }, t('passphrase.insecure')),
    )
  }
  return foldedCard(tools, {
    name: 'passphrase',
    title: t('passphrase.title'),
    text: t(isSet ? 'passphrase.lead' : 'passphrase.first.text'),
    isOn: isSet ? t('factor.isOn') : '',
    button: t(isSet ? 'passphrase.change' : 'passphrase.first'),
    form: async () => (await import('./passphrase-form.js')).changeForm(derivation, tools),
  })
}
