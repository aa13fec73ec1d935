import { byId, make, makeTime, shownName } from './_kit/dom.js'

/**
 * @typedef {object} Item
 * @property {{ title: string, message?: string, slug?: string, created_at: string, scheduled_at?: string, read_at: string | null }} attributes
 * @property {{ related?: string }} links
 */

const PATH = '/notifications'
/** How many are shown; the count says how many there are. */
const SHOWN = 5

/**
 * What the apps told the owner and nobody read yet. A server without notifications has none.
 *
 * @param {import('./main.js').Tools} tools
 */
export async function showNews(tools) {
  const { api, t, parts, report } = tools
  if (!parts.has('notifications')) return
  const section = byId('news-section')
  const button = /** @type {HTMLButtonElement} */ (byId('news-read'))
  button.textContent = t('news.readAll')
  button.addEventListener('click', () => {
    if (button.disabled) return
    button.disabled = true
    byId('problem').hidden = true
    api
      .call('PATCH', PATH, { data: { attributes: { read: true } } })
      .then(() => {
        section.hidden = true
        byId('title').focus()
      })
      .catch(report)
      .finally(() => {
        button.disabled = false
      })
  })
  const answer = await api.call('GET', `${PATH}?page[limit]=30`).catch(() => undefined)
  if (answer === undefined) return
  const { data, meta } = /** @type {{ data: readonly Item[], meta: { unread: number } }} */ (answer)
  const items = data.filter(({ attributes }) => attributes.read_at === null).slice(0, SHOWN)
  const more = meta.unread - items.length
  byId('news-title').textContent = t('news.title', { count: meta.unread })
  byId('news').replaceChildren(...items.map((item) => line(item, tools)))
  byId('news-more').textContent = t('news.more', { count: more })
  byId('news-more').hidden = more <= 0
  section.hidden = meta.unread === 0
}

/** @param {Item} item @param {import('./main.js').Tools} tools */
function line({ attributes, links }, { apps, domain, when }) {
  const { title, message = '', slug, created_at: created, scheduled_at: scheduled } = attributes
  const sender = slug === undefined ? domain : apps.find((app) => app.slug === slug)?.name
  const name = make('bdi', {}, shownName(title))
  return make(
    'li',
    { class: 'told' },
    make(
      'p',
      { class: 'muted small' },
      make('bdi', {}, shownName(sender ?? slug ?? '')),
      ' · ',
      makeTime(when(scheduled ?? created)),
    ),
    make(
      'h3',
      { class: 'told__title' },
      links.related === undefined ? name : make('a', { href: links.related }, name),
    ),
    ...(message === ''
      ? []
      : [make('p', { class: 'told__message' }, make('bdi', {}, shownName(message)))]),
  )
}
