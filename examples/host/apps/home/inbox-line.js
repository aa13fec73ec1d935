import { make, makeTime, shownName } from './_kit/dom.js'

/**
 * One notification: who says what, and what can be done about it.
 *
 * @param {import('./inbox.js').Item} item
 * @param {{
 *   tools: import('./main.js').Tools
 *   change: (id: string, attributes: { read?: boolean, archived?: boolean }) => Promise<void>
 *   archived: () => void
 * }} about
 */
export function inboxLine({ id, attributes, links }, { tools, change, archived }) {
  const { t, when, senderOf } = tools
  const { title, message = '', slug, created_at: created, scheduled_at: scheduled } = attributes
  const isUnread = attributes.read_at === null
  const name = shownName(title)

  /** @param {string} key @param {{ read?: boolean, archived?: boolean }} patch */
  const button = (key, patch) => {
    const made = make(
      'button',
      { class: 'button button--quiet', type: 'button', 'aria-label': t(`${key}.label`, { name }) },
      t(key),
    )
    made.addEventListener('click', () => {
      if (made.disabled) return
      made.disabled = true
      change(id, patch)
        .then(() => (patch.archived === true ? archived() : undefined))
        .catch(() => {
          made.disabled = false
        })
    })
    return made
  }

  const actions = make('div', { class: 'told__actions' })
  if (links.related !== undefined) {
    const open = make(
      'a',
      {
        class: 'button',
        href: links.related,
        'aria-label': t('inbox.open.label', { name }),
      },
      t('inbox.open'),
    )
    // It is read by opening it; the page may be gone before the answer is here.
    open.addEventListener('click', () => {
      if (isUnread) change(id, { read: true }).catch(() => {})
    })
    actions.append(open)
  }
  actions.append(
    isUnread ? button('inbox.read', { read: true }) : button('inbox.unreadAgain', { read: false }),
    button('inbox.archive', { archived: true }),
  )
  return make(
    'li',
    { class: isUnread ? 'told told--unread' : 'told', 'data-id': id },
    make(
      'div',
      { class: 'told__text' },
      make(
        'p',
        { class: 'muted small' },
        make('bdi', {}, senderOf(slug)),
        ' · ',
        makeTime(when(scheduled ?? created)),
      ),
      make(
        'h3',
        { class: 'told__title' },
        ...(isUnread
          ? [
              make(
                'span',
                { class: 'told__mark' },
                make('span', { class: 'visually-hidden' }, t('inbox.isUnread')),
              ),
            ]
          : []),
        make('bdi', {}, name),
      ),
      ...(message === '' ? [] : [make('p', { class: 'told__message' }, make('bdi', {}, message))]),
    ),
    actions,
  )
}
