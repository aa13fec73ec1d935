import { ApiError, createApi } from './_kit/api.js'
import { clientsSection } from './clients.js'
import { byId, initials, make } from './_kit/dom.js'
import { sessionsSection } from './sessions.js'
import { loadTexts } from './_kit/texts.js'

/**
 * What a section works with.
 *
 * @typedef {object} Tools
 * @property {ReturnType<typeof createApi>} api
 * @property {import('./_kit/texts.js').Translate} t
 * @property {(iso: string) => { iso: string, text: string, exact: string }} when
 * @property {(text: string) => void} announce says it to those who cannot see the page
 * @property {() => void} reload loads the section again, focus goes to its heading
 */

/** @type {Readonly<Record<string, (tools: Tools) => Promise<Node[]>>>} */
const SECTIONS = { clients: clientsSection, sessions: sessionsSection }
const FIRST = 'clients'

const root = byId('app')
const api = createApi(root)
const { locale, t, when } = await loadTexts(import.meta.url, root.dataset['svcLocale'] ?? 'en')
/** Counts what was asked for, so that a slow answer never replaces a later one. */
let turn = 0

const sectionName = () => {
  const name = location.hash.replace(/^#\/?/u, '')
  return name in SECTIONS ? name : FIRST
}

/** @type {Tools} */
const tools = {
  api,
  t,
  when,
  announce: (text) => {
    byId('announce').textContent = text
  },
  reload: () => void show(true),
}

/** @param {boolean} movesFocus */
async function show(movesFocus) {
  const name = sectionName()
  turn += 1
  const mine = turn
  document.title = `${t(`${name}.title`)} – ${t('app.title')}`
  byId('title').textContent = t(`${name}.title`)
  byId('lead').textContent = t(`${name}.lead`)
  for (const link of byId('sections').querySelectorAll('a')) {
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  if (movesFocus) byId('main').focus({ preventScroll: true })
  const content = byId('content')
  content.setAttribute('aria-busy', 'true')
  byId('problem').hidden = true
  const nodes = await SECTIONS[name]?.(tools).catch((error) => problem(error))
  if (mine !== turn) return
  content.replaceChildren(...(nodes ?? []))
  content.setAttribute('aria-busy', 'false')
}

/**
 * @param {unknown} error
 * @returns {Node[]}
 */
function problem(error) {
  const isOffline = error instanceof ApiError && error.status === 0
  const place = byId('problem')
  place.textContent = t(isOffline ? 'app.offline' : 'app.problem')
  place.hidden = false
  const retry = make('button', { class: 'button', type: 'button' }, t('app.retry'))
  retry.addEventListener('click', () => void show(false))
  return [retry]
}

function frame() {
  const { svcDomain: domain = location.host, svcName: name = domain } = root.dataset
  document.documentElement.lang = locale
  byId('where').setAttribute('href', `${api.origin}/`)
  byId('where-home').textContent = t('app.home')
  byId('where-tile').textContent = initials(name).slice(0, 1)
  byId('where-name').textContent = name
  byId('where-domain').textContent = name === domain ? '' : domain
  byId('sections').setAttribute('aria-label', t('app.sections'))
  byId('sections').replaceChildren(
    make(
      'ul',
      {},
      ...Object.keys(SECTIONS).map((section) =>
        make('li', {}, make('a', { href: `#${section}` }, t(`${section}.title`))),
      ),
    ),
  )
  const logOut = /** @type {HTMLButtonElement} */ (byId('log-out'))
  logOut.textContent = t('app.logOut')
  logOut.hidden = false
  logOut.addEventListener('click', () => void leave(logOut))
}

/** @param {HTMLButtonElement} button */
async function leave(button) {
  button.disabled = true
  button.textContent = t('app.loggingOut')
  try {
    await api.remove('/auth/login')
    location.assign(`${api.origin}/auth/login`)
  } catch (error) {
    button.disabled = false
    button.textContent = t('app.logOut')
    problem(error)
  }
}

frame()
addEventListener('hashchange', () => void show(true))
await show(false)
