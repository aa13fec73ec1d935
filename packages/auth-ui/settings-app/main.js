import { ApiError, createApi } from './_kit/api.js'
import { createConfirmation } from './_kit/confirmation.js'
import { byId } from './_kit/dom.js'
import { drawFrame, markSection, watchConnection } from './frame.js'
import { openPart } from './parts.js'
import { FIRST, hashOf, OPTIONAL, placeOf, SECTIONS } from './routes.js'
import { failure, waiting } from './states.js'
import { loadTexts } from './_kit/texts.js'
import { wordsFor } from './words.js'

/**
 * @typedef {object} Tools
 * @property {ReturnType<typeof createApi>} api
 * @property {import('./_kit/texts.js').Translate} t
 * @property {(iso: string) => { iso: string, text: string, exact: string }} when
 * @property {ReturnType<typeof createConfirmation>} confirmation
 * @property {string} domain of the instance
 * @property {string} name of the owner
 * @property {string} namespace of doctypes
 * @property {ReadonlySet<string>} parts optional ones that this server has
 * @property {string} slug of this app
 * @property {(text: string) => void} announce to screen readers
 * @property {() => void} reload the section, focus its heading
 * @property {(text: string) => void} done reloads the section below this message
 * @property {(text: string) => void} tell as `done`, without reloading
 * @property {(nodes: readonly Node[]) => void} swap the section for a step, focus it
 * @property {(text: string) => void} warn above the section; empty: clear
 */

/**
 * @template Module
 * @param {Promise<Module>} module
 * @returns {Promise<Module>}
 */
const fetched = (module) =>
  module.catch(async () => {
    // Without a session this leads to the login page and back.
    await api.renew().catch((error) => {
      throw error instanceof ApiError ? error : new ApiError(0, 'offline')
    })
    throw new ApiError(0, 'offline')
  })

/** @type {Readonly<Record<string, (tools: Tools) => Promise<Node[]>>>} */
const LOADS = {
  overview: async (tools) => (await fetched(import('./overview.js'))).overviewSection(tools),
  profile: async (tools) => (await fetched(import('./profile.js'))).profileSection(tools),
  security: async (tools) => (await fetched(import('./security.js'))).securitySection(tools),
  devices: async (tools) => (await fetched(import('./devices.js'))).devicesSection(tools),
  apps: async (tools) => (await fetched(import('./apps.js'))).appsSection(tools),
  notifications: async (tools) =>
    (await fetched(import('./notifications.js'))).notificationsSection(tools),
  activity: async (tools) => (await fetched(import('./activity.js'))).activitySection(tools),
}
/** Survives a reload of the page. */
const DONE = 'svc.done'

const root = byId('app')
const api = createApi(root, { repeatsWrites: false })
const confirmation = createConfirmation(api.origin)
// First: the other one takes every state out of the address.
const cameBack = /[?&](?:account|error)=/u.test(location.search)
const outcome = cameBack ? (await import('./_kit/connecting.js')).receiveOutcome() : undefined
confirmation.receive()
const { locale, t, when } = await loadTexts(import.meta.url, root.dataset['svcLocale'] ?? 'en')
/** A slow answer never replaces a later one. */
let turn = 0
let shown = ''
const parts = new Set((root.dataset['svcParts'] ?? '').split(' '))
/** Sections that this server has. */
const served = SECTIONS.filter((name) => !OPTIONAL.has(name) || parts.has(name))

/** @type {Tools} */
const tools = {
  api,
  t,
  when,
  confirmation,
  domain: root.dataset['svcDomain'] ?? location.host,
  name: root.dataset['svcName'] ?? '',
  namespace: root.dataset['svcNamespace'] ?? 'io.svc',
  parts,
  slug: root.dataset['svcSlug'] ?? 'settings',
  announce: (text) => {
    byId('announce').textContent = text
  },
  reload: () => void show(true),
  done: (text) => {
    tools.tell(text)
    void show(true)
  },
  tell: (text) => sessionStorage.setItem(DONE, text),
  swap: (nodes) => {
    settle()
    byId('content').replaceChildren(...nodes)
    byId('title').focus({ preventScroll: true })
    byId('title').scrollIntoView({ block: 'nearest' })
  },
  warn: (text) => {
    byId('problem').textContent = text
    byId('problem').hidden = text === ''
    if (text !== '') byId('problem').scrollIntoView({ block: 'nearest' })
  },
}

/** Clears messages. */
function settle() {
  byId('problem').hidden = true
  const done = byId('done')
  done.textContent = ''
  done.hidden = true
}

/** @param {boolean} movesFocus */
async function show(movesFocus) {
  const { section, part, highlight } = placeOf(location)
  const name = served.includes(section) ? section : FIRST
  turn += 1
  const mine = turn
  const content = byId('content')
  // Loaded again, it stays until the new one is there; another section never stands under this title.
  const isSame = name === shown
  shown = name
  if (!isSame) {
    content.replaceChildren()
    if (movesFocus) scrollTo(0, 0)
  }
  // An address of before leads on, and what it opens is opened once.
  if (location.hash !== '' && location.hash !== hashOf(name)) {
    history.replaceState(history.state, '', hashOf(name))
  }
  markSection(name, tools.name || tools.domain, t)
  if (movesFocus) byId('title').focus({ preventScroll: isSame })
  content.setAttribute('aria-busy', 'true')
  settle()
  const stop = isSame ? () => {} : waiting(content, t)
  let isShown = true
  const nodes = await LOADS[name]?.(tools).catch((error) => {
    isShown = false
    return [failure(error, t, () => show(false))]
  })
  stop()
  if (mine !== turn) return
  content.replaceChildren(...(nodes ?? []))
  content.setAttribute('aria-busy', 'false')
  if (!isShown) return
  tellDone()
  openPart(content, { part, highlight })
}

function tellDone() {
  const text = sessionStorage.getItem(DONE) ?? ''
  sessionStorage.removeItem(DONE)
  if (text !== '') {
    byId('done').hidden = false
    byId('done').textContent = text
    tools.announce(text)
  }
}

async function leave() {
  confirmation.forget()
  try {
    await api.logOut()
    await new Promise(() => {})
  } catch (error) {
    tools.warn(wordsFor(error, t))
  }
}

if (outcome !== undefined) {
  const { showOutcome } = await import('./accounts.js')
  showOutcome(outcome, tools)
}
const { svcDomain: domain = location.host, svcName = domain } = root.dataset
document.documentElement.lang = locale
drawFrame({
  t,
  domain,
  leave,
  origin: api.origin,
  name: svcName,
  sections: served,
})
watchConnection()
addEventListener('hashchange', () => void show(true))
// The link of the section that is shown loads it again: it may show a step.
byId('sections').addEventListener('click', ({ target }) => {
  const link = target instanceof Element ? target.closest('a') : null
  if (link !== null && link.hash === location.hash) void show(true)
})
// Back from a page of the instance without an answer: nothing here may look as if it still ran.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
await show(false)
const { restoredNotice } = await import('./restored.js')
byId('restored').replaceChildren(...(await restoredNotice(tools)))
