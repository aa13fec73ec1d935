import { appOrigin } from './_kit/app-origin.js'
import { beginConnecting, outcomeText, receiveOutcome } from './_kit/connecting.js'
import { byId, make, shownName } from './_kit/dom.js'

/**
 * Accounts at services: what can be connected, what is, and whether it works.
 *
 * @typedef {{ status?: string }} AccountOAuth
 * @typedef {{ _id: string, account_type?: string, name?: string, oauth?: AccountOAuth }} Account
 * @typedef {{ account_type: string, scope: readonly string[] }} Connectable
 * @typedef {{ slug: string, name: string, account_types: readonly string[], oauth?: Connectable }} Konnector
 * @typedef {{ data?: { oAuthStateKey?: string, key?: string, error?: string } }} PopupDoc
 */

/** Document that the page in the pop-up tells its opener by. */
const POPUP_ID = 'oauth-popup'
const STATES = new Set(['connected', 'disconnected', 'reconnect_required', 'refresh_failing'])

/** @param {import('./main.js').Tools} tools */
export async function showAccounts(tools) {
  const { t, api, realtime, namespace } = tools
  const type = `${namespace}.accounts`
  byId('accounts-title').textContent = t('accounts.title')
  byId('accounts-lead').textContent = t('accounts.lead')
  /** What this page waits for. @type {Map<string, string>} */
  const waiting = new Map()

  const refresh = () => draw(tools, waiting).catch(tools.report)
  const outcome = receiveOutcome()
  if (outcome?.isPopup === true) {
    const data = { key: outcome.account, oAuthStateKey: outcome.state, error: outcome.error }
    await api.call('POST', `/realtime/${type}/${POPUP_ID}`, { data }).catch(() => {})
    window.close()
  }
  if (outcome !== undefined) {
    say(outcomeText(t, outcome), outcome.error !== '', outcome.isPopup ? t('accounts.close') : '')
  }
  await refresh()

  realtime.subscribe({ type }, (verb, { id, doc }) => {
    if (verb !== 'NOTIFIED') return void refresh()
    // As the page in the pop-up sends it, or another app of this instance.
    const { data } = /** @type {PopupDoc} */ (doc ?? {})
    const name = waiting.get(data?.oAuthStateKey ?? '')
    if (id !== POPUP_ID || name === undefined) return
    waiting.clear()
    const error = data?.error ?? ''
    say(outcomeText(t, { name, error }), error !== '')
    void refresh()
  })
  realtime.watch((isOpen) => {
    if (isOpen) void refresh()
  })
}

/** @param {string} text @param {boolean} isProblem @param {string} [more] */
function say(text, isProblem, more = '') {
  const notice = byId('accounts-notice')
  notice.className = `notice notice--${isProblem ? 'danger' : 'success'}`
  notice.textContent = more === '' ? text : `${text} ${more}`
  notice.hidden = false
}

/** @param {import('./main.js').Tools} tools @param {Map<string, string>} waiting */
async function draw(tools, waiting) {
  const { api, namespace } = tools
  const [answer, resources] = await Promise.all([
    api.call('GET', `/data/${namespace}.accounts?limit=100`),
    api.list('/konnectors'),
  ])
  const { documents } = /** @type {{ documents: readonly Account[] }} */ (answer)
  // The shape of `GET /konnectors`.
  const konnectors = resources.map(
    ({ attributes }) => /** @type {Konnector} */ (/** @type {unknown} */ (attributes)),
  )
  const connectable = konnectors.filter(({ oauth }) => oauth !== undefined)
  byId('accounts-section').hidden = documents.length === 0 && connectable.length === 0
  byId('accounts').replaceChildren(
    ...documents.map((account) => accountLine(account, konnectors, tools, waiting)),
  )
  byId('accounts-connect').replaceChildren(
    ...connectable.map((konnector) => connectLine(konnector, tools, waiting)),
  )
  byId('accounts-manage').replaceChildren(...(documents.length === 0 ? [] : [manageLink(tools)]))
}

/**
 * @param {Account} account
 * @param {readonly Konnector[]} konnectors
 * @param {import('./main.js').Tools} tools
 * @param {Map<string, string>} waiting
 */
function accountLine(account, konnectors, tools, waiting) {
  const { t } = tools
  const { account_type: accountType = '', oauth } = account
  const konnector = konnectors.find((each) => each.account_types.includes(accountType))
  const name = shownName(account.name || konnector?.name || accountType)
  const status = oauth?.status ?? ''
  const facts = STATES.has(status) ? t(`accounts.state.${status}`) : ''
  const line = make(
    'li',
    { class: 'account' },
    make(
      'span',
      { class: 'account__text' },
      make('span', { class: 'account__name' }, make('bdi', {}, name)),
      make('span', { class: 'muted small' }, facts),
    ),
  )
  const isInteractive = konnector?.oauth?.account_type === accountType
  if (status === 'reconnect_required' && isInteractive) {
    const target = { accountType, account: account._id, name }
    const label = t('accounts.again.label', { name })
    line.append(connectButton(t('accounts.again'), label, target, tools, waiting))
  }
  return line
}

/** @param {Konnector} konnector @param {import('./main.js').Tools} tools @param {Map<string, string>} waiting */
function connectLine({ name, oauth }, tools, waiting) {
  const target = { accountType: oauth?.account_type ?? '', scope: oauth?.scope ?? [], name }
  const text = tools.t('accounts.connect', { name: shownName(name) })
  return make('li', {}, connectButton(text, text, target, tools, waiting))
}

/**
 * @param {string} text
 * @param {string} label
 * @param {{ accountType: string, name: string, account?: string, scope?: readonly string[] }} target
 * @param {import('./main.js').Tools} tools
 * @param {Map<string, string>} waiting
 */
function connectButton(text, label, { name, ...target }, { t, api, slug }, waiting) {
  const button = make('button', { class: 'button', type: 'button', 'aria-label': label }, text)
  button.addEventListener('click', () => {
    const where = { ...target, slug, origin: api.origin }
    const { href, state } = beginConnecting(where, { name, isPopup: true })
    const opened = window.open(href, 'svc-connect', 'popup,width=520,height=720')
    const here = () => location.assign(beginConnecting(where, { name, isPopup: false }).href)
    if (opened === null) return here()
    waiting.set(state, name)
    // Once it is at the provider's this page knows nothing of it: somebody may have closed it.
    const instead = make('button', { class: 'button button--quiet', type: 'button' })
    instead.textContent = t('accounts.window.here')
    instead.addEventListener('click', here)
    const notice = byId('accounts-notice')
    notice.className = 'notice'
    notice.replaceChildren(make('div', {}, make('p', {}, t('accounts.window')), instead))
    notice.hidden = false
  })
  return button
}

/** @param {import('./main.js').Tools} tools */
function manageLink({ t, domain, slug }) {
  const href = `${appOrigin(location, domain, slug, 'settings')}/?section=accounts`
  return make('a', { href }, t('accounts.manage'))
}
