import { ApiError, createApi } from './_kit/api.js'
import { createConfirmation } from './_kit/confirmation.js'
import { receiveOutcome } from './_kit/connecting.js'
import { byId, make } from './_kit/dom.js'
import { drawFrame, markSection } from './frame.js'
import { loadTexts } from './_kit/texts.js'

/**
 * What a section works with.
 *
 * @typedef {object} Tools
 * @property {ReturnType<typeof createApi>} api
 * @property {import('./_kit/texts.js').Translate} t
 * @property {(iso: string) => { iso: string, text: string, exact: string }} when
 * @property {ReturnType<typeof createConfirmation>} confirmation
 * @property {string} domain of the instance
 * @property {string} name of the owner, as the login page shows it
 * @property {string} namespace prefix of the instance's doctypes
 * @property {string} slug of this app
 * @property {(text: string) => void} announce says it to those who cannot see the page
 * @property {() => void} reload loads the section again, focus goes to its heading
 * @property {(text: string) => void} done says what was done above the section, which loads again
 * @property {(text: string) => void} tell as `done`, for a section that is loading already
 * @property {(nodes: readonly Node[]) => void} swap shows a step in place of the section, focus goes to it
 * @property {(text: string) => void} warn says above the section what did not work; empty: nothing
 */

/**
 * The files of a section come when it is first looked at.
 *
 * @template Module
 * @param {Promise<Module>} module
 * @returns {Promise<Module>}
 */
const fetched = (module) =>
  module.catch(() => {
    throw new ApiError(0, 'offline')
  })

/** @type {Readonly<Record<string, (tools: Tools) => Promise<Node[]>>>} */
const SECTIONS = {
  clients: async (tools) => (await fetched(import('./clients.js'))).clientsSection(tools),
  accounts: async (tools) => (await fetched(import('./accounts.js'))).accountsSection(tools),
  sessions: async (tools) => (await fetched(import('./sessions.js'))).sessionsSection(tools),
  access: async (tools) => (await fetched(import('./access.js'))).accessSection(tools),
  activity: async (tools) => (await fetched(import('./activity.js'))).activitySection(tools),
  profile: async (tools) => (await fetched(import('./profile.js'))).profileSection(tools),
  notifications: async (tools) =>
    (await fetched(import('./notifications.js'))).notificationsSection(tools),
  passphrase: async (tools) => (await fetched(import('./passphrase.js'))).passphraseSection(tools),
  factors: async (tools) => (await fetched(import('./factors.js'))).factorsSection(tools),
  devices: async (tools) => (await fetched(import('./devices.js'))).devicesSection(tools),
  storage: async (tools) => (await fetched(import('./storage.js'))).storageSection(tools),
}
const FIRST = 'clients'
/** Addresses that mails and other pages know. @type {Readonly<Record<string, string>>} */
const OTHER_NAMES = { hint: 'passphrase', 'profile/email': 'passphrase' }
/** What was done survives a page that has to load itself again. */
const DONE = 'svc.done'

const root = byId('app')
const api = createApi(root)
const confirmation = createConfirmation(api.origin)
// First: the other one takes every state out of the address.
const outcome = receiveOutcome()
confirmation.receive()
const { locale, t, when } = await loadTexts(import.meta.url, root.dataset['svcLocale'] ?? 'en')
/** Counts what was asked for, so that a slow answer never replaces a later one. */
let turn = 0

const sectionName = () => {
  const { hash, search } = location
  const named = hash === '' ? new URLSearchParams(search).get('section') : hash
  const asked = (named ?? '').replace(/^#\/?/u, '')
  const name = OTHER_NAMES[asked] ?? asked
  return Object.hasOwn(SECTIONS, name) ? name : FIRST
}

/** @type {Tools} */
const tools = {
  api,
  t,
  when,
  confirmation,
  domain: root.dataset['svcDomain'] ?? location.host,
  name: root.dataset['svcName'] ?? '',
  namespace: root.dataset['svcNamespace'] ?? 'io.svc',
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
    byId('main').focus({ preventScroll: true })
    byId('main').scrollIntoView({ block: 'nearest' })
  },
  warn: (text) => {
    byId('problem').textContent = text
    byId('problem').hidden = text === ''
    if (text !== '') byId('problem').scrollIntoView({ block: 'nearest' })
  },
}

/** Takes messages of before away. */
function settle() {
  byId('problem').hidden = true
  const done = byId('done')
  done.textContent = ''
  done.hidden = true
}

/** @param {boolean} movesFocus */
async function show(movesFocus) {
  const name = sectionName()
  turn += 1
  const mine = turn
  markSection(name, t)
  if (movesFocus) byId('main').focus({ preventScroll: true })
  const content = byId('content')
  content.setAttribute('aria-busy', 'true')
  settle()
  let isShown = true
  const nodes = await SECTIONS[name]?.(tools).catch((error) => {
    isShown = false
    return problem(error)
  })
  if (mine !== turn) return
  content.replaceChildren(...(nodes ?? []))
  content.setAttribute('aria-busy', 'false')
  if (isShown) tellDone()
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

/**
 * @param {unknown} error
 * @returns {Node[]}
 */
function problem(error) {
  const isOffline = error instanceof ApiError && error.status === 0
  tools.warn(t(isOffline ? 'app.offline' : 'app.problem'))
  const retry = make('button', { class: 'button', type: 'button' }, t('app.retry'))
  retry.addEventListener('click', () => void show(false))
  return [retry]
}

/** Logs out; what goes wrong is said. */
async function leave() {
  confirmation.forget()
  try {
    await api.logOut()
    await new Promise(() => {})
  } catch (error) {
    problem(error)
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
  sections: Object.keys(SECTIONS),
})
addEventListener('hashchange', () => void show(true))
// Back from a page of the instance without an answer: nothing here may look as if it still ran.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
await show(false)
const { restoredNotice } = await import('./restored.js')
byId('restored').replaceChildren(...(await restoredNotice(tools)))
