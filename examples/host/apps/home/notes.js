import { byId, make } from './_kit/dom.js'

/** @typedef {{ _id: string, text?: unknown, at?: unknown }} Note */

/**
 * A few lines kept in the instance, read and written with this app's token: the smallest use of a permission.
 *
 * @param {import('./main.js').Tools} tools
 */
export async function showNotes(tools) {
  const { api, t, report, settle, namespace } = tools
  const form = /** @type {HTMLFormElement} */ (byId('write'))
  const input = /** @type {HTMLInputElement} */ (byId('note'))
  const add = /** @type {HTMLButtonElement} */ (byId('add'))
  byId('notes-title').textContent = t('notes.title')
  byId('notes-lead').textContent = t('notes.lead', { type: `${namespace}.notes` })
  byId('note-label').textContent = t('notes.label')
  input.placeholder = t('notes.label')
  add.textContent = t('notes.add')
  form.hidden = false

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const text = input.value.trim()
    if (text === '' || add.disabled) return
    add.disabled = true
    settle()
    api
      .call('POST', pathOf(tools), { text, at: new Date().toISOString() })
      .then(() => {
        input.value = ''
        return refresh(tools)
      })
      .catch(report)
      .finally(() => {
        add.disabled = false
        input.focus()
      })
  })
  await refresh(tools).catch(report)
}

/** @param {import('./main.js').Tools} tools */
function pathOf({ namespace }) {
  return `/data/${namespace}.notes`
}

/** @param {import('./main.js').Tools} tools */
async function refresh(tools) {
  const list = byId('notes')
  list.setAttribute('aria-busy', 'true')
  const answer = await tools.api.call('GET', pathOf(tools))
  const { documents } = /** @type {{ documents: readonly Note[] }} */ (answer)
  const notes = [...documents].sort((one, other) => String(other.at).localeCompare(String(one.at)))
  list.replaceChildren(
    ...(notes.length === 0
      ? [make('li', { class: 'muted' }, tools.t('notes.none'))]
      : notes.map((note) => noteLine(note, tools))),
  )
  list.setAttribute('aria-busy', 'false')
}

/** @param {Note} note @param {import('./main.js').Tools} tools */
function noteLine(note, tools) {
  const { api, t, report, settle } = tools
  const text = String(note.text ?? '')
  const remove = make(
    'button',
    {
      class: 'button button--danger-quiet',
      type: 'button',
      'aria-label': t('notes.remove.label', { name: text }),
    },
    t('notes.remove'),
  )
  remove.addEventListener('click', () => {
    remove.disabled = true
    settle()
    api
      .remove(`${pathOf(tools)}/${encodeURIComponent(note._id)}`)
      .then(() => refresh(tools))
      .catch((error) => {
        remove.disabled = false
        report(error)
      })
  })
  return make('li', { class: 'note' }, make('bdi', { class: 'note__text' }, text), remove)
}
