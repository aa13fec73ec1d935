import { beginConnecting, outcomeText } from './_kit/connecting.js'
import { make, shownName, withName, withTime } from './_kit/dom.js'
import { ask } from './ask.js'
import { nothing } from './states.js'

/**
 * @typedef {{ status?: string, refreshed_at?: string, scope?: string }} AccountOAuth
 * @typedef {{ _id: string, account_type?: string, name?: string, oauth?: AccountOAuth }} Account
 * @typedef {{ name: string, account_types: readonly string[], oauth?: { account_type: string, scope: readonly string[] } }} Konnector
 */

const STATES = new Set(['connected', 'disconnected', 'reconnect_required', 'refresh_failing'])

/** What a visit to a provider ended in, until it was shown once. */
let problem = ''

/**
 * Back from a provider: the section is opened, and says how it went.
 *
 * @param {import('./_kit/connecting.js').Outcome} outcome
 * @param {Pick<import('./main.js').Tools, 't' | 'tell'>} tools
 */
export function showOutcome(outcome, { t, tell }) {
  history.replaceState(null, '', '#/apps/services')
  if (outcome.error === '') tell(outcomeText(t, outcome))
  else problem = outcomeText(t, outcome)
}

/**
 * Accounts at services, and whether they work.
 *
 * @param {import('./main.js').Tools} tools
 * @returns {Promise<readonly Node[]>}
 */
export async function accountsList(tools) {
  const { api, t, namespace, parts } = tools
  const [accounts, konnectors] = await Promise.all([
    readAccounts(api, namespace),
    parts.has('konnectors') ? api.list('/konnectors') : [],
  ])
  // The shape of `GET /konnectors`.
  const known = konnectors.map(
    ({ attributes }) => /** @type {Konnector} */ (/** @type {unknown} */ (attributes)),
  )
  const notice = problem === '' ? [] : [problemNotice(problem)]
  problem = ''
  if (accounts.length === 0) {
    return [
      ...notice,
      nothing(
        t('accounts.none'),
        make('a', { class: 'button', href: `${api.origin}/` }, t('app.openHome')),
      ),
    ]
  }
  const cards = accounts.map((account) => accountCard(account, known, tools))
  return [...notice, make('ul', { class: 'cards' }, ...cards)]
}

/** @param {import('./main.js').Tools['api']} api @param {string} namespace */
async function readAccounts(api, namespace) {
  /** @type {Account[]} */
  const accounts = []
  let cursor = ''
  do {
    const query = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const answer = await api.call('GET', `/data/${namespace}.accounts${query}`)
    const page = /** @type {{ documents?: readonly Account[], cursor?: string }} */ (answer)
    accounts.push(...(page.documents ?? []))
    cursor = page.cursor ?? ''
  } while (cursor !== '')
  return accounts
}

/** @param {string} text */
function problemNotice(text) {
  return make('p', { class: 'notice notice--danger', role: 'alert' }, text)
}

/** @param {Account} account @param {readonly Konnector[]} konnectors @param {import('./main.js').Tools} tools */
function accountCard(account, konnectors, tools) {
  const { t, when } = tools
  const { account_type: accountType = '', oauth = {} } = account
  const konnector = konnectors.find((each) => each.account_types.includes(accountType))
  const name = shownName(account.name || konnector?.name || accountType)
  const { status = '', refreshed_at: refreshedAt, scope = '' } = oauth
  const facts = [
    ...(STATES.has(status) ? [make('span', {}, t(`accounts.state.${status}`))] : []),
    ...(refreshedAt === undefined
      ? []
      : [make('span', {}, ...withTime(t, 'accounts.refreshed', when(refreshedAt)))]),
    ...(scope === '' ? [] : [make('span', {}, ...withName(t, 'accounts.allowed', name))]),
  ]
  const card = make(
    'li',
    { class: 'item item--plain', 'data-status': status },
    make(
      'div',
      { class: 'item__text' },
      make('h3', { class: 'item__name' }, make('bdi', {}, name)),
      make('p', { class: 'item__facts' }, ...facts),
    ),
  )
  const buttons = make('div', { class: 'item__buttons' })
  const connectable = konnector?.oauth
  if (connectable?.account_type === accountType) {
    const target = { accountType, account: account._id, scope: connectable.scope }
    buttons.append(reconnectButton(target, name, tools))
  }
  buttons.append(removeButton(account, name, tools))
  card.append(buttons)
  return card
}

/**
 * @param {{ accountType: string, account: string, scope: readonly string[] }} target
 * @param {string} name
 * @param {import('./main.js').Tools} tools
 */
function reconnectButton(target, name, { api, t, slug }) {
  const label = t('accounts.again.label', { name })
  const button = make(
    'button',
    { class: 'button', type: 'button', 'aria-label': label },
    t('accounts.again'),
  )
  button.addEventListener('click', () => {
    button.setAttribute('aria-busy', 'true')
    const where = { ...target, slug, origin: api.origin }
    location.assign(beginConnecting(where, { name, isPopup: false }).href)
  })
  return button
}

/** @param {Account} account @param {string} name @param {import('./main.js').Tools} tools */
function removeButton({ _id: id, account_type: accountType = '', oauth }, name, tools) {
  const { api, t, done, namespace } = tools
  const button = make(
    'button',
    {
      class: 'button button--danger-quiet',
      type: 'button',
      'aria-label': t('accounts.remove.label', { name }),
    },
    t('accounts.remove'),
  )
  // Those of OAuth are taken back at their provider, too.
  const path =
    oauth === undefined
      ? `/data/${namespace}.accounts/${encodeURIComponent(id)}`
      : `/accounts/${encodeURIComponent(accountType)}/${encodeURIComponent(id)}`
  button.addEventListener('click', async () => {
    const isDone = await ask({
      title: withName(t, 'accounts.remove.title', name),
      text: t('accounts.remove.text'),
      losses: [t('accounts.remove.loss.token'), t('accounts.remove.loss.settings')],
      confirm: t('accounts.remove'),
      busy: t('app.removing'),
      cancel: t('app.cancel'),
      failed: t('app.failed'),
      act: () => api.remove(path),
    })
    if (isDone) done(t('accounts.removed', { name }))
  })
  return button
}
