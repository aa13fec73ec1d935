import { make, withName, withTime } from './_kit/dom.js'
import { ask } from './ask.js'

/**
 * @typedef {object} Right
 * @property {string} scope the rule, as it stands
 * @property {string} text the rule in words
 * @property {string} [kind] of data, in words
 * @property {readonly string[]} [verbs]
 * @property {string} [until]
 */
/** @typedef {import('./main.js').Tools} Tools */

/** What a tick stands for. */
const TICKS = [
  { name: 'read', verbs: ['GET'] },
  { name: 'change', verbs: ['POST', 'PUT', 'PATCH'] },
  { name: 'delete', verbs: ['DELETE'] },
]

/**
 * What a client may do, in words; where single rights can be taken away, with ticks to do so.
 *
 * @param {readonly Right[]} rights
 * @param {string} name of the client
 * @param {Tools} tools
 * @param {(scope: string) => Promise<void>} [shrink] absent: nothing can be taken away alone
 */
export function makeRights(rights, name, tools, shrink) {
  const isDivisible = rights.every(
    ({ scope, kind, verbs = [] }) => scope !== '*' && kind !== undefined && verbs.length > 0,
  )
  return shrink !== undefined && isDivisible
    ? tickedRights(rights, name, tools, shrink)
    : listedRights(rights, tools)
}

/** @param {readonly Right[]} rights @param {Tools} tools */
function listedRights(rights, tools) {
  return make(
    'ul',
    { class: 'rights' },
    ...rights.map((right) => make('li', {}, make('bdi', {}, right.text), ...endOf(right, tools))),
  )
}

/** @param {Right} right @param {Tools} tools */
function endOf({ until }, { t, when }) {
  return until === undefined ? [] : [' · ', ...withTime(t, 'access.until', when(until))]
}

/**
 * @param {readonly Right[]} rights
 * @param {string} name
 * @param {Tools} tools
 * @param {(scope: string) => Promise<void>} shrink
 */
function tickedRights(rights, name, tools, shrink) {
  const { t, done } = tools
  const rows = rights.map((right) => rightRow(right, tools))
  const save = make('button', { class: 'button', type: 'button', hidden: '' }, t('rights.save'))
  const said = make('p', { class: 'muted small', role: 'status' })
  const show = () => {
    const lost = rows.flatMap(({ lost }) => lost())
    const isNothing = rows.every(({ rule }) => rule() === undefined)
    save.hidden = lost.length === 0 || isNothing
    said.textContent = isNothing ? t('rights.none') : ''
  }
  const root = make(
    'div',
    { class: 'ticks' },
    ...rows.map((row) => row.root),
    make('div', { class: 'form__buttons' }, save, said),
  )
  root.addEventListener('change', show)
  save.addEventListener('click', async () => {
    const isDone = await ask({
      title: withName(t, 'rights.title', name),
      text: t('rights.text'),
      losses: rows.flatMap(({ lost }) => lost()),
      confirm: t('rights.save'),
      busy: t('app.oneMoment'),
      cancel: t('app.cancel'),
      failed: t('app.failed'),
      act: () => shrink(rows.flatMap(({ rule }) => rule() ?? []).join(' ')),
    })
    if (isDone) done(t('rights.saved', { name }))
  })
  return root
}

/**
 * One kind of data with a tick for each right.
 *
 * @param {Right} right
 * @param {Tools} tools
 */
function rightRow(right, tools) {
  const { t } = tools
  const { scope, kind = '', verbs = [] } = right
  const ticks = TICKS.filter((tick) => tick.verbs.some((verb) => verbs.includes(verb))).map(
    (tick) => {
      const input = make('input', {
        type: 'checkbox',
        'aria-label': `${t(`rights.${tick.name}`)}: ${kind}`,
      })
      input.checked = true
      const label = make(
        'label',
        { class: 'check' },
        input,
        make('span', { class: 'check__text' }, t(`rights.${tick.name}`)),
      )
      return { ...tick, input, label }
    },
  )
  return {
    root: make(
      'fieldset',
      { class: 'tick' },
      make('legend', { class: 'tick__kind' }, make('bdi', {}, kind), ...endOf(right, tools)),
      ...(scope.split(':').length > 2
        ? [make('p', { class: 'muted small' }, t('rights.some'))]
        : []),
      make('div', { class: 'tick__rights' }, ...ticks.map(({ label }) => label)),
    ),
    /** What is taken away, in words. */
    lost: () =>
      ticks
        .filter(({ input }) => !input.checked)
        .map((tick) => `${kind}: ${t(`rights.${tick.name}`)}`),
    /** The rule that is left; undefined: nothing of it. */
    rule: () => {
      const left = verbs.filter((verb) =>
        ticks.some((tick) => tick.input.checked && tick.verbs.includes(verb)),
      )
      if (left.length === verbs.length) return scope
      const [type = '', , ...rest] = scope.split(':')
      return left.length === 0 ? undefined : [type, left.join(','), ...rest].join(':')
    },
  }
}
