import { byId, domainParts, initials, make } from './_kit/dom.js'
import { icon } from './icons.js'
import { FIRST, hashOf } from './routes.js'

/** @typedef {import('./_kit/texts.js').Translate} Translate */

/** From here on the menu stands beside the section; below, it is the page that one comes from. */
const WIDE = '(min-width: 48rem)'

/**
 * The frame of the sections.
 *
 * @param {{
 *   sections: readonly string[]
 *   t: Translate
 *   origin: string
 *   name: string
 *   domain: string
 *   leave: () => Promise<void>
 * }} about `leave` logs out; it settles when that failed
 */
export function drawFrame({ sections, t, origin, name, domain, leave }) {
  byId('where-home').setAttribute('href', `${origin}/`)
  byId('where-home').append(icon('home'), t('app.home'))
  byId('where-tile').textContent = initials(name).slice(0, 1)
  byId('where-name').textContent = name
  if (name !== domain) byId('where-domain').append(...domainParts(domain))
  byId('back').append(make('a', { href: hashOf(FIRST) }, icon('back'), t('app.back')))
  byId('offline').textContent = t('app.isOffline')
  drawMenu(sections, t)
  placeMenu()
  const logOut = /** @type {HTMLButtonElement} */ (byId('log-out'))
  const words = byId('log-out-words')
  words.textContent = t('app.logOut')
  logOut.hidden = false
  logOut.addEventListener('click', () => {
    logOut.disabled = true
    logOut.setAttribute('aria-busy', 'true')
    words.textContent = t('app.loggingOut')
    void leave().finally(() => {
      logOut.disabled = false
      logOut.removeAttribute('aria-busy')
      words.textContent = t('app.logOut')
    })
  })
}

/** @param {readonly string[]} sections @param {Translate} t */
function drawMenu(sections, t) {
  const menu = byId('sections')
  menu.setAttribute('aria-label', t('app.sections'))
  menu.replaceChildren(make('ul', {}, ...sections.map((section) => menuItem(section, t))))
}

/** Keyboard order is visual order: the menu is beside the section, or below the overview. */
function placeMenu() {
  const wide = matchMedia(WIDE)
  const place = () => {
    if (wide.matches) byId('main').before(byId('sections'))
    else byId('main').after(byId('sections'))
  }
  wide.addEventListener('change', place)
  place()
}

/** @param {string} section @param {Translate} t */
function menuItem(section, t) {
  return make(
    'li',
    { 'data-section': section },
    make(
      'a',
      { href: hashOf(section) },
      icon(section),
      make('span', { class: 'sections__name' }, t(`${section}.title`)),
      ...(section === FIRST
        ? []
        : [make('span', { class: 'sections__about' }, t(`${section}.menu`))]),
    ),
  )
}

/**
 * @param {string} section
 * @param {string} name of the owner
 * @param {Translate} t
 */
export function markSection(section, name, t) {
  const title = t(`${section}.title`)
  document.title = `${title} - ${t('app.title')} - ${name}`
  byId('app').dataset['section'] = section
  byId('title').textContent = title
  byId('lead').textContent = t(`${section}.lead`)
  markCurrent(section)
}

/** @param {string} section */
function markCurrent(section) {
  for (const link of byId('sections').querySelectorAll('a')) {
    if (link.hash === hashOf(section)) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

/** While there is no connection nothing can be changed, and the page says why. */
export function watchConnection() {
  const show = () => {
    const isOffline = !navigator.onLine
    byId('offline').hidden = !isOffline
    for (const id of ['content', 'ask-yes', 'log-out']) {
      byId(id).toggleAttribute('disabled', isOffline)
    }
  }
  addEventListener('offline', show)
  addEventListener('online', show)
  show()
}
