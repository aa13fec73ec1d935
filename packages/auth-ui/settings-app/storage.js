import { make } from './_kit/dom.js'
import { sizeInWords as size } from './size.js'

/** Shares of the quota from which on the bar warns: those at which the owner is told by mail. */
const NEARLY = 0.9

/**
 * How much room is used and left.
 *
 * @param {import('./main.js').Tools} tools
 */
export async function storageCard({ api, t }) {
  /** @param {...Node} nodes */
  const card = (...nodes) =>
    make(
      'section',
      { class: 'box', 'data-part': 'storage' },
      make('h2', {}, t('storage.title')),
      ...nodes,
    )
  // The shape of `GET /settings/disk-usage`.
  const { used, quota } = /** @type {{ used: number, quota?: number }} */ (
    await api.call('GET', '/settings/disk-usage')
  )
  if (quota === undefined) {
    return card(make('p', {}, t('storage.unlimited', { used: size(used) })))
  }
  const share = quota === 0 ? 1 : Math.min(1, used / quota)
  const percent = new Intl.NumberFormat(document.documentElement.lang, { style: 'percent' })
  const words = t('storage.used', { used: size(used), quota: size(quota) })
  const level = share >= 1 ? 'full' : share >= NEARLY ? 'nearly' : 'room'
  const bar = make('div', {
    class: 'storage__bar',
    role: 'meter',
    'aria-label': t('storage.title'),
    'aria-valuemin': '0',
    'aria-valuemax': '100',
    'aria-valuenow': String(Math.floor(share * 100)),
    'aria-valuetext': words,
    'data-level': level,
  })
  const fill = make('span', { class: 'storage__fill' })
  fill.style.inlineSize = `${share * 100}%`
  bar.append(fill)
  return card(
    make(
      'p',
      {},
      make('strong', {}, words),
      ' ',
      make('span', { class: 'muted' }, `(${percent.format(share)})`),
    ),
    bar,
    ...(level === 'room' ? [] : [make('p', { class: 'muted' }, t(`storage.${level}`))]),
  )
}
