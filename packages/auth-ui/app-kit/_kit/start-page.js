import { byId, domainParts, initials, make } from './dom.js'

/**
 * Whose space it is, at the top of a start page.
 *
 * @param {{ name: string, domain: string, title: string, heading: string }} words
 */
export function drawHead({ name, domain, title, heading }) {
  document.title = `${title} – ${name}`
  byId('where-tile').textContent = initials(name).slice(0, 1)
  byId('where-name').textContent = name
  if (name !== domain) byId('where-domain').append(...domainParts(domain))
  byId('title').textContent = heading
}

/**
 * One app among those that a start page leads to.
 *
 * @param {{ href: string, name: string, text: string, tile: number }} app
 */
export function appTile({ href, name, text, tile }) {
  return make(
    'li',
    {},
    make(
      'a',
      { class: 'app', href },
      make('span', { class: `tile tile--${tile}`, 'aria-hidden': 'true' }, initials(name)),
      make(
        'span',
        { class: 'app__text' },
        make('span', { class: 'app__name' }, make('bdi', {}, name)),
        ...(text === '' ? [] : [make('span', { class: 'muted small' }, text)]),
      ),
    ),
  )
}
