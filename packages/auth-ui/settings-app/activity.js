import { ApiError } from './_kit/api.js'
import { make, makeTime } from './_kit/dom.js'
import { actorOf, deviceOf, longDate, markOf, sentenceOf, usesOf } from './activity-words.js'
import { exportRecord } from './activity-export.js'
import { makeFilters } from './activity-filters.js'
import { whileBusy } from './fields.js'

/** @typedef {import('./activity-words.js').ActivityEntry} ActivityEntry */
/** @typedef {import('./main.js').Tools} Tools */
/**
 * @typedef {object} Head
 * @property {number} seq
 * @property {string} [hash]
 * @property {string} [verified_at]
 * @property {boolean} [unbroken]
 * @property {number} [count]
 * @property {string} [since]
 * @property {{ seq: number, after?: string }} [fault]
 */

/**
 * What happened in the space, newest first.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function activitySection(tools) {
  const intent = tools.confirmation.take('activity')
  const proof = tools.confirmation.proof()
  if (intent?.name === 'export' && proof !== undefined) await exportRecord(tools, proof)
  const state = make('div', { class: 'activity__state' })
  const days = make('div', { class: 'activity__days' })
  await showState(state, tools, await checkedHead(tools))
  /** @param {string} query */
  const show = async (query) => {
    days.replaceChildren()
    await addPage(days, tools, `/settings/activity${query === '' ? '' : `?${query}`}`)
  }
  const filters = await makeFilters(tools, show)
  await show('')
  return [state, filters, days]
}

/** Verified now; a moment after a verification what that found.  @param {Tools} tools */
async function checkedHead({ api }) {
  const answer = await api.call('POST', '/settings/activity/verify').catch((error) => {
    if (error instanceof ApiError && error.status === 429) {
      return api.call('GET', '/settings/activity/head')
    }
    throw error
  })
  // The shape of both answers.
  return /** @type {{ data: { attributes: Head } }} */ (answer).data.attributes
}

/** @param {HTMLElement} root @param {Tools} tools @param {Head} head */
async function showState(root, tools, head) {
  const { t } = tools
  const check = make('button', { class: 'button', type: 'button' }, t('activity.check'))
  check.addEventListener(
    'click',
    () =>
      void whileBusy(check, t('activity.checking'), async () => {
        await showState(root, tools, await checkedHead(tools))
      }),
  )
  const download = make('button', { class: 'button', type: 'button' }, t('activity.export'))
  download.addEventListener(
    'click',
    () =>
      void whileBusy(download, t('activity.exporting'), async () => {
        const proof = tools.confirmation.proof()
        if (proof === undefined) {
          tools.confirmation.ask({ section: 'activity', name: 'export' })
          await new Promise(() => {})
        } else {
          await exportRecord(tools, proof)
          tools.reload()
        }
      }),
  )
  root.replaceChildren(
    make('p', { class: `notice notice--${noticeOf(head)}`, role: 'status' }, wordsOf(head, tools)),
    ...(head.hash === undefined
      ? []
      : [make('p', { class: 'muted' }, t('activity.mark', { mark: markOf(head.hash) }))]),
    make('div', { class: 'activity__buttons' }, check, download),
  )
}

/** @param {Head} head */
function noticeOf({ unbroken }) {
  if (unbroken === undefined) return 'warning'
  return unbroken ? 'success' : 'danger'
}

/** @param {Head} head @param {Tools} tools */
function wordsOf({ unbroken, count = 0, since, fault, verified_at: at }, { t, when }) {
  if (at === undefined || unbroken === undefined) return t('activity.unchecked')
  if (unbroken && since === undefined) return t('activity.none')
  if (unbroken) {
    return t('activity.unbroken', { count, date: longDate(since ?? ''), time: when(at).text })
  }
  const seq = fault?.seq ?? 0
  const after = fault?.after
  return after === undefined
    ? t('activity.broken', { seq })
    : t('activity.broken.after', { seq, date: longDate(after) })
}

/** @param {HTMLElement} days @param {Tools} tools @param {string} address */
async function addPage(days, tools, address) {
  const { api, t } = tools
  // The shape of `GET /settings/activity`.
  const { data, links } =
    /** @type {{ data: readonly { attributes: ActivityEntry }[], links: { next?: string } }} */ (
      await api.call('GET', address)
    )
  for (const { attributes } of data) addEntry(days, attributes, tools)
  const { next } = links
  if (next !== undefined) {
    const more = make('button', { class: 'button', type: 'button' }, t('activity.more'))
    const below = make('p', { class: 'below' }, more)
    more.addEventListener(
      'click',
      () =>
        void whileBusy(more, t('app.oneMoment'), async () => {
          await addPage(days, tools, next)
          below.remove()
        }),
    )
    days.append(below)
  } else if (days.childElementCount === 0) {
    days.append(make('div', { class: 'empty' }, make('p', {}, t('activity.none'))))
  }
}

/** @param {HTMLElement} days @param {ActivityEntry} entry @param {Tools} tools */
function addEntry(days, entry, tools) {
  const day = longDate(entry.time)
  let group = [...days.querySelectorAll('section')].at(-1)
  if (group?.dataset['day'] !== day) {
    const id = `day-${entry.seq}`
    group = make(
      'section',
      { class: 'group', 'aria-labelledby': id, 'data-day': day },
      make('h2', { class: 'group__title', id }, day),
      make('ul', { class: 'cards' }),
    )
    days.append(group)
  }
  group.querySelector('ul')?.append(entryCard(entry, tools))
}

/** @param {ActivityEntry} entry @param {Tools} tools */
function entryCard(entry, tools) {
  const { t, when } = tools
  const { outcome, event } = entry
  const words = sentenceOf(entry, t)
  const isRefused = outcome === 'refused'
  const badge = isRefused
    ? [' ', make('span', { class: 'badge badge--warning' }, t('activity.refused'))]
    : []
  const device = deviceOf(entry, t)
  const card = make(
    'li',
    { class: 'item item--plain item--entry' },
    make(
      'div',
      { class: 'item__text' },
      make('h3', { class: 'item__name' }, words, ...badge),
      make(
        'p',
        { class: 'item__facts' },
        make('span', {}, makeTime(when(entry.time))),
        ...(device === '' ? [] : [make('span', {}, make('bdi', {}, device))]),
      ),
    ),
    details(entry, words, tools),
  )
  if (isRefused && (event === 'login.failed' || event === 'two_factor.failed')) {
    card.append(make('a', { class: 'button', href: '#/' }, t('activity.notMe')))
  }
  return card
}

/** @param {ActivityEntry} entry @param {string} words @param {Tools} tools */
function details(entry, words, { t, when }) {
  const { rights = [], detail, ip = '', country = '', hash, seq, time } = entry
  const method = detail?.method
  /** @type {readonly (readonly [string, string])[]} */
  const facts = [
    ['exact', when(time).exact],
    ['who', actorOf(entry, t)],
    ['where', [ip, country].filter((text) => text !== '').join(', ')],
    ['method', method === undefined ? '' : t(`activity.method.${method}`)],
    ['rights', rights.join('; ')],
    ...usesOf(entry, t),
    ['seq', String(seq)],
    ['hash', markOf(hash)],
  ]
  const label = t('activity.details.label', { name: words })
  return make(
    'details',
    { class: 'item__details raw' },
    make('summary', { 'aria-label': label }, t('activity.details')),
    make(
      'dl',
      {},
      ...facts.flatMap(([name, text]) =>
        text === ''
          ? []
          : [make('dt', {}, t(`activity.detail.${name}`)), make('dd', {}, make('bdi', {}, text))],
      ),
    ),
  )
}
