import { ApiError } from './_kit/api.js'
import { make } from './_kit/dom.js'
import { makeField, whileBusy } from './fields.js'
import { changePreferences } from './notifications-data.js'
import { wordsFor } from './words.js'

const FROM = '22:00'
const UNTIL = '07:00'

/**
 * The hours in which nothing is sent, in the owner's time zone.
 *
 * @param {import('./notifications-data.js').Preferences} preferences
 * @param {import('./main.js').Tools} tools
 */
export function quietHours({ time_zone: zone, quiet_hours: quiet }, tools) {
  const { api, t, done, warn } = tools
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const start = timeField('quiet-start', t('quiet.start'), quiet?.start ?? FROM)
  const end = timeField('quiet-end', t('quiet.end'), quiet?.end ?? UNTIL)
  const zones = makeField({
    id: 'quiet-zone',
    label: t('quiet.zone'),
    hint: zone === null ? t('quiet.zone.here') : t('quiet.zone.hint'),
    attributes: {
      value: zone ?? here,
      list: 'quiet-zones',
      maxlength: '64',
      autocomplete: 'off',
      spellcheck: 'false',
      dir: 'ltr',
      required: '',
    },
    after: [
      make(
        'datalist',
        { id: 'quiet-zones' },
        ...Intl.supportedValuesOf('timeZone').map((name) => make('option', { value: name })),
      ),
    ],
  })
  const save = make('button', { class: 'button button--primary', type: 'submit' }, t('quiet.save'))
  const buttons = make('div', { class: 'form__buttons' }, save)
  const form = make(
    'form',
    { class: 'box', 'aria-labelledby': 'quiet-title', novalidate: '' },
    make('h2', { id: 'quiet-title' }, t('quiet.title')),
    make(
      'p',
      { class: 'muted' },
      quiet === null ? t('quiet.text') : t('quiet.now', { start: quiet.start, end: quiet.end }),
    ),
    make('div', { class: 'quiet__times' }, start.root, end.root),
    zones.root,
    buttons,
  )

  /** @param {unknown} error */
  const report = (error) => {
    if (error instanceof ApiError && error.status === 422) zones.fail(t('quiet.zone.unknown'))
    else warn(wordsFor(error, t))
  }
  const isComplete = () => {
    const fields = [start, end]
    for (const { fail } of [...fields, zones]) fail('')
    const empty = fields.find(({ input }) => input.value === '')
    if (empty !== undefined) empty.fail(t('quiet.time.empty'))
    else if (start.input.value === end.input.value) end.fail(t('quiet.same'))
    else if (!isZone(zones.input.value)) zones.fail(t('quiet.zone.unknown'))
    else return true
    return false
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!isComplete()) return
    void whileBusy(save, t('app.saving'), async () => {
      await changePreferences(api, {
        time_zone: zones.input.value.trim(),
        quiet_hours: { start: start.input.value, end: end.input.value },
      })
      done(t('quiet.saved', { start: start.input.value, end: end.input.value }))
    }).catch(report)
  })
  if (quiet !== null) {
    const off = make('button', { class: 'button', type: 'button' }, t('quiet.off'))
    off.addEventListener('click', () => {
      void whileBusy(off, t('app.saving'), async () => {
        await changePreferences(api, { quiet_hours: null })
        done(t('quiet.ended'))
      }).catch(report)
    })
    buttons.append(off)
  }
  return form
}

/** @param {string} id @param {string} label @param {string} value */
function timeField(id, label, value) {
  return makeField({ id, label, attributes: { type: 'time', value, required: '' } })
}

/** @param {string} name */
function isZone(name) {
  try {
    return name.trim() !== '' && Intl.DateTimeFormat('en', { timeZone: name.trim() }) !== undefined
  } catch {
    return false
  }
}
