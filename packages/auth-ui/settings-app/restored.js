import { make, makeTime } from './_kit/dom.js'

/** @typedef {import('./main.js').Tools} Tools */
/** @typedef {{ attributes: { to: string, returned: readonly string[] } }} Restored */

const PATH = '/settings/restored'

/**
 * What an owner is told after the space was put back from a backup: above every section, until it is taken away.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function restoredNotice({ api, t, when, announce }) {
  // A section works without it, and says itself what is wrong with the connection.
  const found = await api.list(PATH).catch(() => [])
  const [restored] = /** @type {readonly Restored[]} */ (/** @type {unknown} */ (found))
  if (restored === undefined) return []
  const { to, returned } = restored.attributes
  const mark = '\uE000'
  const [before = '', after = ''] = t('restored.text', { date: mark }).split(mark)
  const button = make('button', { class: 'button', type: 'button' }, t('restored.seen'))
  const notice = make(
    'div',
    { class: 'notice notice--warning restored', role: 'note' },
    make(
      'div',
      {},
      make('p', {}, before, makeTime(when(to)), after),
      ...(returned.length === 0
        ? []
        : [
            make('p', {}, t('restored.returned')),
            make('ul', {}, ...returned.map((name) => make('li', {}, make('bdi', {}, name)))),
          ]),
      make(
        'p',
        { class: 'restored__ways' },
        ...['apps', 'devices'].map((section) =>
          make('a', { class: 'button', href: `#/${section}` }, t(`${section}.title`)),
        ),
        button,
      ),
    ),
  )
  button.addEventListener('click', async () => {
    button.disabled = true
    try {
      await api.remove(PATH)
      notice.remove()
    } catch {
      button.disabled = false
      announce(t('app.failed'))
    }
  })
  return [notice]
}
