import { make, withTime } from './_kit/dom.js'
import { act, changing, removal } from './factor-buttons.js'
import { card, usage } from './factor-card.js'
import { countFactors } from './factors-data.js'

/** @typedef {import('./factors-data.js').FactorsAbout} FactorsAbout */

/**
 * What is asked for after the passphrase.
 *
 * @param {FactorsAbout} factors
 * @param {import('./main.js').Tools} tools
 */
export function secondStep(factors, tools) {
  const { t } = tools
  const isOn = countFactors(factors) > 0
  const isAtRisk = isOn && (factors.recovery === null || factors.recovery.left < 3)
  return make(
    'section',
    { class: 'group', 'aria-labelledby': 'second-step', 'data-part': 'second-step' },
    make('h2', { class: 'group__title', id: 'second-step' }, t('factors.title')),
    make(
      'p',
      { class: isOn ? 'notice notice--success' : 'notice' },
      t(isOn ? 'factors.on' : 'factors.off'),
    ),
    ...(isAtRisk ? [make('p', { class: 'notice notice--warning' }, t('factors.atRisk'))] : []),
    make(
      'ul',
      { class: 'cards' },
      totpCard(factors, tools),
      mailCard(factors, tools),
      recoveryCard(factors, tools),
    ),
  )
}

/** @param {FactorsAbout} factors @param {import('./main.js').Tools} tools */
function totpCard(factors, tools) {
  const { t } = tools
  const { totp } = factors
  if (totp === null) {
    return card(tools, 'totp', {
      isOn: false,
      buttons: [act(tools, t('totp.add'), { section: 'security', name: 'totp.add' })],
    })
  }
  return card(tools, 'totp', {
    isOn: true,
    facts: usage(totp, tools),
    buttons: [
      act(
        tools,
        t('totp.replace'),
        { section: 'security', name: 'totp.add' },
        changing(tools, {
          title: t('totp.replace.title'),
          text: t('totp.replace.text'),
          confirm: t('totp.replace'),
        }),
      ),
      removal(tools, factors, 'totp', { section: 'security', name: 'totp.remove' }),
    ],
  })
}

/** @param {FactorsAbout} factors @param {import('./main.js').Tools} tools */
function mailCard(factors, tools) {
  const { t, when } = tools
  const { enabled, enabled_at: since, address } = factors.mail
  const facts = [
    ...(address === undefined ? [] : [make('span', {}, make('bdi', { dir: 'ltr' }, address))]),
    ...(enabled && since !== undefined
      ? [make('span', {}, ...withTime(t, 'factor.since', when(since)))]
      : []),
  ]
  const buttons = enabled
    ? [removal(tools, factors, 'mail', { section: 'security', name: 'mail.off' })]
    : [act(tools, t('mail.on'), { section: 'security', name: 'mail.on' })]
  return card(tools, 'mail', {
    isOn: enabled,
    facts,
    buttons: !enabled && address === undefined ? [] : buttons,
    more: address === undefined ? [make('p', { class: 'muted small' }, t('mail.noAddress'))] : [],
  })
}

/** @param {FactorsAbout} factors @param {import('./main.js').Tools} tools */
function recoveryCard(factors, tools) {
  const { t, when } = tools
  const { recovery } = factors
  if (recovery === null) {
    const canAdd = countFactors(factors) > 0 || factors.passkeys.length > 0
    return card(tools, 'recovery', {
      isOn: false,
      more: canAdd ? [] : [make('p', { class: 'muted small' }, t('recovery.first'))],
      buttons: canAdd
        ? [act(tools, t('recovery.create'), { section: 'security', name: 'recovery.create' })]
        : [],
    })
  }
  return card(tools, 'recovery', {
    isOn: true,
    facts: [
      make('span', {}, t('recovery.left', { count: recovery.left })),
      make('span', {}, ...withTime(t, 'factor.since', when(recovery.created_at))),
    ],
    buttons: [
      act(
        tools,
        t('recovery.renew'),
        { section: 'security', name: 'recovery.create' },
        changing(tools, {
          title: t('recovery.renew.title'),
          text: t('recovery.renew.text', { count: recovery.left }),
          confirm: t('recovery.renew'),
        }),
      ),
      removal(tools, factors, 'recovery', { section: 'security', name: 'recovery.remove' }),
    ],
  })
}
