import { byId, make, shownName, withName } from './_kit/dom.js'

/**
 * Accounts at services that wait for their owner. A server without accounts has none, and no word is lost about it.
 *
 * @param {import('./main.js').Tools} tools
 */
export async function showAccounts({ api, t, namespace, parts, apps, addressOf }) {
  if (!parts.has('accounts')) return
  /** @typedef {{ account_type?: string, name?: string, oauth?: { status?: string } }} Account */
  const answer = await api
    .call('GET', `/data/${namespace}.accounts?limit=100`)
    .catch(() => undefined)
  const { documents = [] } = /** @type {{ documents?: readonly Account[] }} */ (answer ?? {})
  const waiting = documents.filter(({ oauth }) => oauth?.status === 'reconnect_required')
  byId('accounts-title').textContent = t('accounts.title')
  byId('accounts').replaceChildren(
    ...waiting.map(({ account_type: type = '', name = '' }) =>
      make('li', {}, ...withName(t, 'accounts.waits', shownName(name || type))),
    ),
  )
  const settings = apps.find(({ slug }) => slug === 'settings')
  if (settings !== undefined && waiting.length > 0) {
    const href = `${addressOf(settings.slug)}/?section=accounts`
    byId('accounts').after(make('p', {}, make('a', { class: 'button', href }, t('accounts.open'))))
  }
  byId('accounts-section').hidden = waiting.length === 0
}
