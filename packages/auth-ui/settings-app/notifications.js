import { make } from './_kit/dom.js'
import { readPreferences } from './notifications-data.js'
import { sourceCard } from './notification-source.js'
import { nothing } from './states.js'
import { quietHours } from './quiet-hours.js'

/**
 * What may reach the owner, how and when.
 *
 * @param {import('./main.js').Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function notificationsSection(tools) {
  const { api, t } = tools
  const preferences = await readPreferences(api)
  const { channels = [], sources } = preferences
  const apps =
    sources.length === 0
      ? nothing(
          t('notifications.none'),
          make('a', { class: 'button', href: `${api.origin}/` }, t('app.openHome')),
        )
      : make(
          'div',
          { class: 'senders' },
          ...sources.map((source) => sourceCard(source, channels, tools)),
        )
  return [
    quietHours(preferences, tools),
    make('h2', {}, t('notifications.apps')),
    apps,
    make('h2', {}, t('notifications.always')),
    make('p', { class: 'muted' }, t('notifications.always.text')),
  ]
}
