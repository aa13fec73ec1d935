import { colourOf, initials, make, shownName } from './_kit/dom.js'
import { makeCheck, makeSelect } from './choices.js'
import { changePreferences, channelsOf } from './notifications-data.js'
import { wordsFor } from './words.js'

const HOUR_MS = 3_600_000
const MORNING = 8

/**
 * What one app may tell the owner, and how. Every choice is kept at once.
 *
 * @param {import('./notifications-data.js').Source} source
 * @param {readonly import('./notifications-data.js').HostChannel[]} own channels of the host
 * @param {import('./main.js').Tools} tools
 */
export function sourceCard(source, own, tools) {
  const { api, t, announce, warn } = tools
  const name = shownName(source.name)
  const said = make('p', { class: 'sender__said small muted' })

  /**
   * Keeps a choice; what cannot be kept is taken back.
   *
   * @param {Record<string, unknown>} change of this source
   * @param {() => void} undo
   */
  const keep = async (change, undo) => {
    said.textContent = t('app.saving')
    warn('')
    try {
      await changePreferences(api, { sources: [{ id: source.id, ...change }] })
      said.textContent = t('notifications.saved')
      announce(t('notifications.saved'))
    } catch (error) {
      undo()
      said.textContent = ''
      warn(wordsFor(error, t))
    }
  }

  const categories = make(
    'fieldset',
    { class: 'sender__kinds' },
    make('legend', { class: 'visually-hidden' }, t('notifications.kinds', { name })),
    ...source.categories.map((category) => categoryRow(source, category, own, tools, keep)),
  )
  categories.disabled = source.blocked
  const block = makeCheck(t('notifications.allow', { name }), !source.blocked, (input) => {
    categories.disabled = !input.checked
    return keep({ blocked: !input.checked }, () => {
      input.checked = !input.checked
      categories.disabled = !input.checked
    })
  })
  return make(
    'section',
    { class: 'box sender', 'aria-label': name, 'data-source': source.id },
    make(
      'div',
      { class: 'sender__head' },
      make(
        'span',
        { class: `tile tile--${colourOf(name)}`, 'aria-hidden': 'true' },
        initials(name),
      ),
      make('h3', { class: 'item__name' }, make('bdi', {}, name)),
      said,
    ),
    block,
    muteChoice(source, tools, keep),
    categories,
  )
}

/** @typedef {(change: Record<string, unknown>, undo: () => void) => Promise<void>} Keep */

/**
 * @param {import('./notifications-data.js').Source} source
 * @param {import('./notifications-data.js').Category} category
 * @param {readonly import('./notifications-data.js').HostChannel[]} own
 * @param {import('./main.js').Tools} tools
 * @param {Keep} keep
 */
function categoryRow(source, category, own, { t }, keep) {
  const title = nameOf(source, category, t)
  const checks = channelsOf(category, own, t).map(({ name: channel, label }) =>
    makeCheck(label, category.channels[channel] === true, (input) =>
      keep(
        { categories: [{ name: category.name, channels: { [channel]: input.checked } }] },
        () => {
          input.checked = !input.checked
        },
      ),
    ),
  )
  const digest = makeSelect({
    label: t('digest.label'),
    value: category.digest ?? '',
    options: digestOptions(category.digest, t),
    act: (select, before) =>
      keep({ categories: [{ name: category.name, digest: select.value || null }] }, () => {
        select.value = before
      }),
  })
  return make(
    'fieldset',
    { class: 'kind', 'data-category': category.name },
    make('legend', { class: 'kind__title' }, make('bdi', {}, title)),
    make('div', { class: 'kind__channels' }, ...checks),
    digest,
  )
}

/**
 * Apps that come with the server have words in every language; others say it in their own.
 *
 * @param {import('./notifications-data.js').Source} source
 * @param {import('./notifications-data.js').Category} category
 * @param {import('./_kit/texts.js').Translate} t
 */
function nameOf({ slug = '' }, { name, description }, t) {
  const key = `category.${slug}.${name}`
  const words = t(key)
  return words === key ? shownName(description || name) : words
}

/** @param {string | null} current @param {import('./_kit/texts.js').Translate} t */
function digestOptions(current, t) {
  const daily = current?.startsWith('daily@') === true ? current : 'daily@08:00'
  return [
    ['', t('digest.now')],
    ['15m', t('digest.15m')],
    ['1h', t('digest.1h')],
    [daily, t('digest.daily', { time: daily.slice('daily@'.length) })],
  ]
}

/**
 * @param {import('./notifications-data.js').Source} source
 * @param {import('./main.js').Tools} tools
 * @param {Keep} keep
 */
function muteChoice({ muted_until: until }, { t, when }, keep) {
  const isMuted = until !== null && new Date(until) > new Date()
  return makeSelect({
    label: t('mute.label'),
    value: isMuted ? 'until' : '',
    options: [
      ['', t('mute.not')],
      ...(isMuted ? [['until', t('mute.until', { time: when(until).exact })]] : []),
      ['hour', t('mute.hour')],
      ['morning', t('mute.morning')],
      ['week', t('mute.week')],
    ],
    act: async (select, before) => {
      if (select.value === 'until') return
      await keep({ muted_until: endOf(select.value) }, () => {
        select.value = before
      })
    },
  })
}

/** @param {string} choice */
function endOf(choice) {
  if (choice === '') return null
  const end = new Date()
  if (choice === 'hour') end.setTime(end.getTime() + HOUR_MS)
  if (choice === 'week') end.setDate(end.getDate() + 7)
  if (choice === 'morning') {
    end.setDate(end.getDate() + 1)
    end.setHours(MORNING, 0, 0, 0)
  }
  return end.toISOString()
}
