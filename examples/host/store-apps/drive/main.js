import { ApiError, createApi } from './_kit/api.js'
import { byId, make } from './_kit/dom.js'
import { loadTexts } from './_kit/texts.js'

/**
 * Names of files, and links to them: what this app shares, a client linked to it can take back, and the other way
 * round (decision D30).
 *
 * @typedef {{ _id: string, name?: unknown }} File
 * @typedef {{ id: string, ids: readonly string[], url: string }} Share
 */

const root = byId('app')
const api = createApi(root)
const { locale, t } = await loadTexts(import.meta.url, root.dataset['svcLocale'] ?? 'en')
const type = `${root.dataset['svcNamespace'] ?? 'io.svc'}.files`

/** @param {unknown} error */
function report(error) {
  const isOffline = error instanceof ApiError && error.status === 0
  byId('problem').textContent = t(isOffline ? 'drive.offline' : 'drive.failed')
  byId('problem').hidden = false
}

/** @param {() => Promise<unknown>} change */
function after(change) {
  byId('problem').hidden = true
  change().then(refresh).catch(report)
}

/**
 * @param {string} label
 * @param {() => Promise<unknown>} change
 */
function button(label, change) {
  const made = make('button', { class: 'button', type: 'button' }, label)
  made.addEventListener('click', () => after(change))
  return made
}

/** @param {Element[]} lines @param {string} id @param {string} none */
function fill(lines, id, none) {
  byId(id).replaceChildren(...(lines.length === 0 ? [make('li', { class: 'muted' }, none)] : lines))
  byId(id).setAttribute('aria-busy', 'false')
}

async function refresh() {
  const files = /** @type {{ documents: readonly File[] }} */ (
    await api.call('GET', `/data/${type}`)
  ).documents
  const { shares } = /** @type {{ shares: readonly Share[] }} */ (await api.call('GET', '/shares'))
  const names = new Map(files.map(({ _id, name }) => [_id, String(name ?? _id)]))
  fill(
    files.map(({ _id }) =>
      make(
        'li',
        { class: 'line' },
        make('bdi', { class: 'line__name' }, names.get(_id) ?? ''),
        button(t('drive.share'), () => api.call('POST', '/shares', { type, ids: [_id] })),
        button(t('drive.remove'), () => api.remove(`/data/${type}/${encodeURIComponent(_id)}`)),
      ),
    ),
    'files',
    t('drive.none'),
  )
  fill(
    shares.map(({ id, ids, url }) =>
      make(
        'li',
        { class: 'line' },
        make('a', { class: 'line__name', href: url }, names.get(ids[0] ?? '') ?? id),
        button(t('drive.revoke'), () => api.remove(`/shares/${encodeURIComponent(id)}`)),
      ),
    ),
    'shares',
    t('drive.unshared'),
  )
}

document.documentElement.lang = locale
document.title = t('drive.title')
byId('title').textContent = t('drive.title')
byId('shares-title').textContent = t('drive.shares')
byId('name-label').textContent = t('drive.name')
byId('add').textContent = t('drive.add')
const form = /** @type {HTMLFormElement} */ (byId('write'))
const input = /** @type {HTMLInputElement} */ (byId('name'))
form.hidden = false
form.addEventListener('submit', (event) => {
  event.preventDefault()
  const name = input.value.trim()
  if (name === '') return
  input.value = ''
  after(() => api.call('POST', `/data/${type}`, { name }))
})
await refresh().catch(report)
