import { byId, make, shownName } from './_kit/dom.js'
import { inboxLine } from './inbox-line.js'

/**
 * @typedef {object} Item
 * @property {string} id
 * @property {{ title: string, message?: string, slug?: string, created_at: string, scheduled_at?: string, read_at: string | null }} attributes
 * @property {{ related?: string }} links
 */

/** @typedef {{ data: readonly Item[], links: { next?: string }, meta: { unread: number } }} Page */

const PATH = '/notifications'
const OPEN = '#inbox'
/** From here on the server does not count. */
const MANY = 100

/**
 * What the apps told the owner, whatever way it came by, as it comes in.
 *
 * @param {import('./main.js').Tools} tools
 */
export async function showInbox(tools) {
  const { api, t, report, settle, namespace, realtime } = tools
  const bell = /** @type {HTMLButtonElement} */ (byId('bell'))
  const section = byId('inbox')
  const list = byId('inbox-list')
  const readAll = /** @type {HTMLButtonElement} */ (byId('inbox-read-all'))
  const more = /** @type {HTMLButtonElement} */ (byId('inbox-more'))
  /** How many are shown at least: as many as were asked for. */
  let wanted = 30
  let unread = 0
  /** @type {Promise<void> | undefined} */
  let reading
  let isStale = false

  byId('inbox-title').textContent = t('inbox.title')
  readAll.textContent = t('inbox.readAll')
  more.textContent = t('inbox.more')
  bell.hidden = false

  const drawBell = () => {
    const count = unread >= MANY ? `${MANY - 1}+` : String(unread)
    byId('bell-count').textContent = unread === 0 ? '' : count
    byId('bell-text').textContent =
      unread === 0 ? t('inbox.title') : t('inbox.unread', { count: unread, shown: count })
    readAll.hidden = unread === 0
  }

  /** @param {boolean} isOpen */
  const setOpen = (isOpen) => {
    section.hidden = !isOpen
    bell.setAttribute('aria-expanded', String(isOpen))
  }

  const read = async () => {
    /** @type {Item[]} */
    const items = []
    /** @type {string | undefined} */
    let next = `${PATH}?page[limit]=30`
    while (next !== undefined && items.length < wanted) {
      const page = /** @type {Page} */ (await api.call('GET', next))
      items.push(...page.data)
      unread = page.meta.unread
      next = page.links.next
    }
    const focused = document.activeElement?.closest('[data-id]')?.getAttribute('data-id')
    const line = { tools, change, archived }
    list.replaceChildren(
      ...(items.length === 0
        ? [make('li', { class: 'muted' }, t('inbox.none'))]
        : items.map((item) => inboxLine(item, line))),
    )
    // What was being read stays under the hands of whoever reads it.
    if (focused !== null && focused !== undefined) focusOn(focused)
    more.hidden = next === undefined
    list.setAttribute('aria-busy', 'false')
    drawBell()
  }

  /** One reading at a time; what changes meanwhile is read once more. */
  const refresh = () => {
    isStale = reading !== undefined
    reading ??= read().finally(() => {
      reading = undefined
      if (isStale) void refresh().catch(report)
    })
    return reading
  }

  /** @param {string} id */
  const focusOn = (id) => {
    const line = [...list.querySelectorAll('[data-id]')].find(
      (each) => each.getAttribute('data-id') === id,
    )
    const target = line?.querySelector('button, a')
    if (target instanceof HTMLElement) target.focus()
  }

  /** @param {string} id @param {{ read?: boolean, archived?: boolean }} attributes */
  const change = async (id, attributes) => {
    settle()
    try {
      await api.call('PATCH', `${PATH}/${encodeURIComponent(id)}`, { data: { attributes } })
      await refresh()
    } catch (error) {
      report(error)
      throw error
    }
  }

  /** Focus must not fall out of the list with a line that is gone. */
  const archived = () => {
    if (document.activeElement === document.body) byId('inbox-title').focus()
  }

  bell.addEventListener('click', () => {
    setOpen(section.hidden !== false)
    if (!section.hidden) byId('inbox-title').focus()
  })
  readAll.addEventListener('click', () => {
    if (readAll.disabled) return
    readAll.disabled = true
    settle()
    api
      .call('PATCH', PATH, { data: { attributes: { read: true } } })
      .then(refresh)
      .then(() => byId('inbox-title').focus())
      .catch(report)
      .finally(() => {
        readAll.disabled = false
      })
  })
  more.addEventListener('click', () => {
    wanted += 30
    void refresh().catch(report)
  })
  setOpen(location.hash === OPEN)
  drawBell()

  realtime.subscribe({ type: `${namespace}.notifications` }, (verb, { doc = {} }) => {
    if (verb === 'CREATED' && doc['status'] !== 'scheduled' && typeof doc['title'] === 'string') {
      byId('inbox-said').textContent = t('inbox.new', { title: shownName(doc['title']) })
    }
    void refresh().catch(report)
  })
  realtime.watch((isOpen) => {
    if (isOpen) void refresh().catch(report)
  })
  await refresh().catch(report)
}
