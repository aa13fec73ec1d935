/**
 * Where the address leads: a section, and something in it that is to be opened or pointed at.
 *
 * @typedef {object} Place
 * @property {string} section
 * @property {string} part of the section; empty: the section as it is
 * @property {string} highlight id of a row; empty: none
 */

export const FIRST = 'overview'
/** In the order of the menu. */
export const SECTIONS = [
  FIRST,
  'profile',
  'security',
  'devices',
  'apps',
  'notifications',
  'activity',
]
/** Sections that a server only has with the part of that name. @type {ReadonlySet<string>} */
export const OPTIONAL = new Set(['activity', 'notifications'])

/** Addresses of before, which mails, other pages and bookmarks still have. @type {Readonly<Record<string, string>>} */
const MOVED = {
  access: 'apps',
  accounts: 'apps/services',
  assistants: 'apps/assistants',
  clients: 'apps',
  factors: 'security/second-step',
  hint: 'security/reminder',
  passphrase: 'security/passphrase',
  'profile/email': 'security/passphrase',
  sessions: 'devices',
  storage: 'profile/storage',
}

/**
 * A host of its own empties what follows `#` at the first visit (login.md 4.6): there the section comes as a query.
 *
 * @param {{ hash: string, search: string }} address
 * @returns {Place}
 */
export function placeOf({ hash, search }) {
  const query = new URLSearchParams(search)
  const [path = '', rest = ''] = hash.replace(/^#\/?/u, '').split('?')
  const asked = hash === '' ? (query.get('section') ?? '') : path
  const [section = '', part = ''] = (
    Object.hasOwn(MOVED, asked) ? (MOVED[asked] ?? '') : asked
  ).split('/')
  const highlight = new URLSearchParams(rest).get('highlight') ?? query.get('highlight') ?? ''
  const isKnown = SECTIONS.includes(section)
  return { section: isKnown ? section : FIRST, part: isKnown ? part : '', highlight }
}

/** The address of a section.  @param {string} section */
export function hashOf(section) {
  return section === FIRST ? '#/' : `#/${section}`
}
