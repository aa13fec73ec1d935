import { make, withTime } from './_kit/dom.js'
import { rowText } from './parts.js'

/**
 * @param {{ created_at: string, last_used?: string }} about
 * @param {import('./main.js').Tools} tools
 */
export function usage({ created_at: created, last_used: used }, { t, when }) {
  return [
    make('span', {}, ...withTime(t, 'factor.since', when(created))),
    make(
      'span',
      {},
      ...(used === undefined ? [t('factor.unused')] : withTime(t, 'factor.used', when(used))),
    ),
  ]
}

/** How addresses name them. */
const PARTS = {
  totp: 'authenticator-app',
  passkey: 'passkeys',
  mail: 'email-codes',
  recovery: 'recovery-codes',
}

/**
 * @param {import('./main.js').Tools} tools
 * @param {'totp' | 'passkey' | 'mail' | 'recovery'} kind
 * @param {{
 *   isOn: boolean
 *   facts?: readonly Node[]
 *   more?: readonly Node[]
 *   below?: readonly Node[]
 *   buttons: readonly Node[]
 * }} content `more` in the row, `below` under all of it
 */
export function card({ t }, kind, { isOn, facts = [], more = [], below = [], buttons }) {
  return make(
    'li',
    { class: 'item item--plain item--factor', 'data-factor': kind, 'data-part': PARTS[kind] },
    rowText({
      title: t(`${kind}.name`),
      text: t(`${kind}.about`),
      isOn: isOn ? t('factor.isOn') : '',
      more: [make('p', { class: 'item__facts' }, ...facts), ...more],
    }),
    make('div', { class: 'item__buttons' }, ...buttons),
    ...below,
  )
}
