import { make } from './_kit/dom.js'
import { foldedCard } from './parts.js'

/** @typedef {{ salt: string, iterations: number, password_defined?: boolean }} Derivation */

/**
 * The passphrase: whether there is one, and a new one.
 *
 * @param {import('./main.js').Tools} tools
 */
export async function passphraseCard(tools) {
  const { t } = tools
  const answer = await tools.api.call('GET', '/settings/passphrase')
  // The shape of `GET /settings/passphrase`.
  const { data } = /** @type {{ data: { attributes: Derivation } }} */ (answer)
  const isSet = data.attributes.password_defined ?? true
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
    form: async () => (await import('./passphrase-form.js')).changeForm(data.attributes, tools),
  })
}
