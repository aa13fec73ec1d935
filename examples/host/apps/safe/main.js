import { ApiError, createApi } from './_kit/api.js'
import { byId, initials, make } from './_kit/dom.js'
import { createRealtime } from './_kit/realtime.js'
import { loadTexts } from './_kit/texts.js'
import { appOrigin } from './_kit/app-origin.js'
import { ask } from './ask.js'
import { createLock } from './lock.js'
import { createNotes } from './notes.js'
import { createReminders } from './reminders.js'

const root = byId('app')
const { svcNamespace: namespace = 'io.svc', svcLocale = 'en' } = root.dataset
const api = createApi(root)
const { locale, t, when } = await loadTexts(import.meta.url, svcLocale)
document.documentElement.lang = locale
const realtime = createRealtime(api, { namespace })
const notes = createNotes(api, namespace)
/** @type {readonly import('./notes.js').Note[]} */
let shown = []
/** What the notes say, while the safe is open. @type {Map<string, string> | undefined} */
let texts
/** What stands in the list, as text. */
let drawn = ''
const reminders = createReminders({
  api,
  t,
  when,
  run: (work) => run(work),
  say: (text) => {
    byId('done').textContent = text
    byId('done').hidden = false
  },
})
const lock = createLock({
  api,
  realtime,
  namespace,
  t,
  onLocked: () => {
    texts = undefined
    draw()
  },
})

function frame() {
  const {
    svcDomain: domain = location.host,
    svcName: name = domain,
    svcSlug = 'safe',
  } = root.dataset
  document.title = `${t('safe.title')} – ${name}`
  byId('where').setAttribute('href', appOrigin(location, domain, svcSlug, 'home'))
  byId('where-home').textContent = t('safe.home')
  byId('where-tile').textContent = initials(name).slice(0, 1)
  byId('where-name').textContent = name
  byId('where-domain').textContent = name === domain ? '' : domain
  byId('title').textContent = t('safe.title')
  byId('lead').textContent = t('safe.lead')
  byId('open').textContent = t('lock.show')
  byId('close').textContent = t('lock.hide')
  byId('clear').textContent = t('notes.clear')
  byId('write-title').textContent = t('notes.new')
  byId('note-title-label').textContent = t('notes.title')
  byId('note-text-label').textContent = t('notes.text')
  byId('add').textContent = t('notes.add')
  byId('write').hidden = false
}

/** @param {unknown} error */
function report(error) {
  const isOffline = error instanceof ApiError && error.status === 0
  byId('problem').textContent = t(isOffline ? 'safe.offline' : 'safe.failed')
  byId('problem').hidden = false
}

/** Runs what a press started.  @param {() => Promise<void>} work */
async function run(work) {
  byId('done').hidden = true
  await attempt(work)
}

/** What goes wrong is said; what a press before it did stays on the page.  @param {() => Promise<void>} work */
async function attempt(work) {
  byId('problem').hidden = true
  await work().catch(report)
}

function draw() {
  // The same again would take the focus away from whoever is about to press something.
  const state = JSON.stringify([shown, texts === undefined ? null : [...texts]])
  if (state === drawn) return
  drawn = state
  const isOpen = texts !== undefined
  byId('open').hidden = isOpen || shown.length === 0
  byId('close').hidden = !isOpen
  byId('clear').hidden = shown.length === 0
  byId('notes').replaceChildren(
    ...(shown.length === 0
      ? [make('li', { class: 'muted' }, t('notes.none'))]
      : shown.map(noteCard)),
  )
}

/** @param {import('./notes.js').Note} note */
function noteCard({ id, title, at }) {
  const text = texts?.get(id)
  const remove = make(
    'button',
    {
      class: 'button button--danger-quiet',
      type: 'button',
      'aria-label': t('notes.remove.label', { name: title }),
    },
    t('notes.remove'),
  )
  remove.addEventListener('click', () => void run(() => removeOne(id)))
  return make(
    'li',
    { class: 'note' },
    make(
      'div',
      { class: 'note__text' },
      make('h2', { class: 'note__title' }, make('bdi', {}, title)),
      text === undefined
        ? make('p', { class: 'muted' }, t('notes.hidden'))
        : make('p', { class: 'note__secret' }, make('bdi', {}, text)),
    ),
    make('div', { class: 'note__actions' }, reminders.choice({ id, title, at }), remove),
  )
}

async function refresh() {
  shown = await notes.list()
  draw()
  byId('notes').setAttribute('aria-busy', 'false')
}

/** Shows what the notes say, as long as the confirmation counts. */
const show = () =>
  lock.open('show', '', async (proof) => {
    texts = await notes.reveal(proof)
    draw()
  })

/** @param {string} id */
const removeOne = (id) =>
  lock.open('remove', id, async (proof) => {
    await notes.remove(id, proof)
    texts = await notes.reveal(proof)
    await refresh()
  })

const clear = () =>
  lock.open('clear', '', async (proof) => {
    for (const { id } of await notes.list()) await notes.remove(id, proof)
    texts = new Map()
    await refresh()
    await reminders.emptied()
  })

/** A change elsewhere, or a time in which changes may have been missed. */
const catchUp = () =>
  attempt(async () => {
    await refresh()
    if (lock.isOpen() && texts !== undefined) await show()
  })

function listen() {
  realtime.subscribe({ type: notes.type }, () => void catchUp())
  let wasOpen = false
  realtime.watch((isOpen) => {
    byId('live').textContent = t(isOpen ? 'live.on' : 'live.off')
    byId('live').dataset['state'] = isOpen ? 'on' : 'off'
    if (isOpen && wasOpen) void catchUp()
    wasOpen ||= isOpen
  })
}

function handleForm() {
  const title = /** @type {HTMLInputElement} */ (byId('note-title'))
  const text = /** @type {HTMLTextAreaElement} */ (byId('note-text'))
  const add = /** @type {HTMLButtonElement} */ (byId('add'))
  /** @param {HTMLInputElement | HTMLTextAreaElement} field @param {string} words */
  const check = (field, words) => {
    const isEmpty = field.value.trim() === ''
    byId(`${field.id}-error`).textContent = isEmpty ? words : ''
    field.setAttribute('aria-invalid', String(isEmpty))
    if (isEmpty) field.focus()
    return !isEmpty
  }
  byId('write').addEventListener('submit', (event) => {
    event.preventDefault()
    const isWritten = check(text, t('notes.text.empty'))
    const isNamed = check(title, t('notes.title.empty'))
    if (!isWritten || !isNamed || add.disabled) return
    add.disabled = true
    void run(async () => {
      await notes.add(title.value.trim(), text.value.trim())
      title.value = ''
      text.value = ''
      title.focus()
      await catchUp()
    }).finally(() => {
      add.disabled = false
    })
  })
}

byId('open').addEventListener('click', () => void run(show))
byId('close').addEventListener('click', () => {
  lock.lock()
  byId('open').focus()
})
byId('clear').addEventListener('click', () => {
  void ask({ count: shown.length, t }).then((isSure) => (isSure ? run(clear) : undefined))
})
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

frame()
handleForm()
listen()
await run(refresh)
const resumed = lock.resumed()
if (resumed?.name === 'clear') await run(clear)
else if (resumed?.name === 'remove') await run(() => removeOne(resumed.id ?? ''))
else if (resumed !== undefined || lock.isOpen()) await run(show)
