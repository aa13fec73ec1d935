import { make, shownName } from './_kit/dom.js'
import { makeCheck, makeSelect } from './choices.js'

const GROUPS = ['login', 'security', 'profile', 'apps', 'accounts', 'notifications', 'record']
const DAY_MS = 24 * 60 * 60_000

/**
 * What is shown of the record; `show` is told the query of each choice.
 *
 * @param {import('./main.js').Tools} tools
 * @param {(query: string) => Promise<void>} show
 */
export async function makeFilters({ api, t }, show) {
  const clients = await api.list('/settings/clients')
  /** @type {Map<string, string>} */
  const chosen = new Map()
  /** @param {string} name @param {string} value */
  const choose = async (name, value) => {
    if (value === '') chosen.delete(name)
    else chosen.set(name, value)
    await show(new URLSearchParams([...chosen]).toString())
  }
  const group = makeSelect({
    label: t('activity.filter.group'),
    value: '',
    options: [
      ['', t('activity.filter.all')],
      ...GROUPS.map((name) => [name, t(`activity.group.${name}`)]),
    ],
    act: (select) => choose('filter[group]', select.value),
  })
  const actor = makeSelect({
    label: t('activity.filter.actor'),
    value: '',
    options: [
      ['', t('activity.filter.anyone')],
      ...clients.map(({ id, attributes }) => [
        `client:${id}`,
        shownName(String(attributes['client_name'] ?? '')),
      ]),
    ],
    act: (select) => choose('filter[actor]', select.value),
  })
  const from = makeDay(t('activity.filter.from'), (day) =>
    choose('filter[from]', instantOf(day, 0)),
  )
  const to = makeDay(t('activity.filter.to'), (day) => choose('filter[to]', instantOf(day, DAY_MS)))
  const refused = makeCheck(t('activity.filter.refused'), false, (input) =>
    choose('filter[outcome]', input.checked ? 'refused' : ''),
  )
  return make('div', { class: 'activity__filters' }, group, actor, from, to, refused)
}

/**
 * @param {string} label
 * @param {(day: string) => Promise<void>} act
 */
function makeDay(label, act) {
  const input = make('input', { class: 'field__input', type: 'date' })
  input.addEventListener('change', () => void act(input.value))
  return make(
    'label',
    { class: 'choice' },
    make('span', { class: 'choice__label' }, label),
    make('span', { class: 'field__box' }, input),
  )
}

/**
 * The beginning of a day here, and more; empty without a day.
 *
 * @param {string} day as `2026-01-31`
 * @param {number} moreMs
 */
function instantOf(day, moreMs) {
  if (day === '') return ''
  return new Date(new Date(`${day}T00:00`).getTime() + moreMs).toISOString()
}
