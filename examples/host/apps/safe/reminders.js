import { make } from './_kit/dom.js'

const MINUTE_MS = 60_000
/** @type {readonly { key: string, end: () => Date }[]} */
const CHOICES = [
  { key: 'remind.minute', end: () => new Date(new Date().getTime() + MINUTE_MS) },
  { key: 'remind.tomorrow', end: () => inDays(1) },
  { key: 'remind.week', end: () => inDays(7) },
]

/**
 * Notifications that this app posts with its own token; what it may post stands in its manifest.
 *
 * @param {{
 *   api: ReturnType<typeof import('./_kit/api.js').createApi>
 *   t: import('./_kit/texts.js').Translate
 *   when: (iso: string) => { text: string, exact: string }
 *   say: (text: string) => void
 *   run: (work: () => Promise<void>) => Promise<void>
 * }} about `say` tells what was done
 */
export function createReminders({ api, t, when, say, run }) {
  /** @param {Record<string, unknown>} attributes */
  const post = (attributes) =>
    api.call('POST', '/notifications', {
      data: {
        type: 'io.svc.notifications',
        attributes: {
          ...attributes,
          data: { appName: t('safe.title'), redirectLink: 'safe/#/' },
        },
      },
    })

  /** The title is always readable; what the note says never leaves the safe.  @param {import('./notes.js').Note} note @param {Date} at */
  const remind = async ({ id, title }, at) => {
    await post({
      category: 'reminders',
      category_id: id,
      title: t('remind.notification', { name: title }),
      message: t('remind.notification.text'),
      preferred_channels: ['mobile', 'mail'],
      at: at.toISOString(),
    })
    say(t('remind.done', { name: title, time: when(at.toISOString()).exact }))
  }

  /** Notes whose times stand open, also after the list was drawn anew. @type {Set<string>} */
  const asking = new Set()

  return {
    /** Asks when, and posts.  @param {import('./notes.js').Note} note */
    choice(note) {
      const buttons = CHOICES.map(({ key, end }) => {
        const button = make('button', { class: 'button', type: 'button' }, t(key))
        button.addEventListener('click', () => {
          if (button.disabled) return
          button.disabled = true
          void run(() => remind(note, end())).finally(() => {
            button.disabled = false
            details.open = false
            summary.focus()
          })
        })
        return button
      })
      const summary = make(
        'summary',
        { class: 'button button--quiet', 'aria-label': t('remind.label', { name: note.title }) },
        t('remind'),
      )
      const details = make(
        'details',
        { class: 'remind' },
        summary,
        make('div', { class: 'remind__times' }, ...buttons),
      )
      details.open = asking.has(note.id)
      details.addEventListener('toggle', () => {
        if (details.open) asking.add(note.id)
        else if (details.isConnected) asking.delete(note.id)
      })
      return details
    },
    /** Once a day at most: the same state is not told twice. */
    async emptied() {
      await post({
        category: 'emptied',
        state: new Date().toISOString().slice(0, 10),
        title: t('emptied.notification'),
        message: t('emptied.notification.text'),
        preferred_channels: ['mobile', 'mail'],
      })
    },
  }
}

/** The same time of day, some days from now.  @param {number} days */
function inDays(days) {
  const time = new Date()
  time.setDate(time.getDate() + days)
  return time
}
