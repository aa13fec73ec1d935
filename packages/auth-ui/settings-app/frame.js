import { byId, initials, make } from './_kit/dom.js'

/**
 * What stands around the sections: whose space it is, the way between them, and out.
 *
 * @param {{
 *   sections: readonly string[]
 *   t: import('./_kit/texts.js').Translate
 *   origin: string
 *   name: string
 *   domain: string
 *   leave: () => Promise<void>
 * }} about `leave` logs out; it settles when that failed
 */
export function drawFrame({ sections, t, origin, name, domain, leave }) {
  byId('where').setAttribute('href', `${origin}/`)
  byId('where-home').textContent = t('app.home')
  byId('where-tile').textContent = initials(name).slice(0, 1)
  byId('where-name').textContent = name
  byId('where-domain').textContent = name === domain ? '' : domain
  byId('sections').setAttribute('aria-label', t('app.sections'))
  const list = make(
    'ul',
    { id: 'sections-list' },
    ...sections.map((section) =>
      make('li', {}, make('a', { href: `#${section}` }, t(`${section}.title`))),
    ),
  )
  // On a narrow screen only the section that is shown has room; this opens the others.
  const toggle = make('button', {
    class: 'button sections__toggle',
    type: 'button',
    id: 'sections-toggle',
    'aria-controls': 'sections-list',
  })
  toggle.addEventListener('click', () => openSections(byId('sections').dataset['open'] !== 'yes'))
  byId('sections').replaceChildren(toggle, list)
  openSections(false)
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

/**
 * Shows which section is open.
 *
 * @param {string} section
 * @param {import('./_kit/texts.js').Translate} t
 */
export function markSection(section, t) {
  document.title = `${t(`${section}.title`)} – ${t('app.title')}`
  byId('title').textContent = t(`${section}.title`)
  byId('lead').textContent = t(`${section}.lead`)
  const toggle = byId('sections-toggle')
  toggle.textContent = t(`${section}.title`)
  toggle.setAttribute('aria-label', `${t('app.sections')}: ${t(`${section}.title`)}`)
  openSections(false)
  for (const link of byId('sections').querySelectorAll('a')) {
    if (link.hash === `#${section}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

/** @param {boolean} isOpen */
function openSections(isOpen) {
  byId('sections').dataset['open'] = isOpen ? 'yes' : 'no'
  byId('sections-toggle').setAttribute('aria-expanded', String(isOpen))
}
