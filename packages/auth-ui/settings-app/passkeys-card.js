import { make, shownName } from './_kit/dom.js'
import { act, removal } from './factor-buttons.js'
import { card, usage } from './factor-card.js'
import { hasCode } from './factors-data.js'

/** @typedef {import('./factors-data.js').FactorsAbout} FactorsAbout */
/** @typedef {import('./factors-data.js').PasskeyAbout} PasskeyAbout */
/** @typedef {import('./main.js').Tools} Tools */

/** Passkeys log in alone; asked for after the passphrase only where the owner wants it. @param {FactorsAbout} factors @param {Tools} tools */
export function passkeysCard(factors, tools) {
  const { t } = tools
  const { passkeys, passkey_after_passphrase: isAsked } = factors
  const canAsk = passkeys.length > 0 && !isAsked && hasCode(factors)
  const list = make(
    'ul',
    { class: 'keys' },
    ...passkeys.map((key) => passkeyItem(key, factors, tools)),
  )
  return card(tools, 'passkey', {
    isOn: passkeys.length > 0,
    more: isAsked ? [make('p', { class: 'muted small' }, t('passkey.asked'))] : [],
    below: passkeys.length > 0 ? [list] : [],
    buttons: [
      act(tools, t('passkey.add'), { section: 'security', name: 'passkey.add' }),
      ...(canAsk
        ? [act(tools, t('passkey.ask'), { section: 'security', name: 'passkey.ask' })]
        : []),
      ...(isAsked
        ? [act(tools, t('passkey.ask.off'), { section: 'security', name: 'passkey.ask.off' })]
        : []),
    ],
  })
}

/** @param {PasskeyAbout} key @param {FactorsAbout} factors @param {Tools} tools */
function passkeyItem(key, factors, tools) {
  const { t } = tools
  const left = factors.passkeys.filter(({ id }) => id !== key.id)
  const about =
    key.only_for === undefined
      ? key.trusted
        ? key.first_way
          ? ''
          : t('passkey.stepOnly')
        : t('passkey.untrusted')
      : t('passkey.onlyFor', { host: key.only_for })
  return make(
    'li',
    { class: 'key' },
    make(
      'div',
      {},
      make('h4', {}, make('bdi', {}, shownName(key.label))),
      make('p', { class: 'item__facts' }, ...usage(key, tools)),
      ...(about === '' ? [] : [make('p', { class: 'muted small' }, about)]),
    ),
    make(
      'div',
      { class: 'item__buttons' },
      ...(key.trusted
        ? []
        : [
            act(tools, t('passkey.trust'), {
              section: 'security',
              name: 'passkey.trust',
              id: key.id,
            }),
          ]),
      removal(
        tools,
        { ...factors, passkeys: left },
        'passkey',
        { section: 'security', name: 'passkey.remove', id: key.id },
        shownName(key.label),
      ),
    ),
  )
}
