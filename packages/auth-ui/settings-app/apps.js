import { accountsList } from './accounts.js'
import { assistantsGroup } from './assistants.js'
import { clientsList } from './clients.js'
import { make } from './_kit/dom.js'
import { failure, part } from './states.js'

/** @typedef {import('./main.js').Tools} Tools */

/**
 * What may use the owner's data, and below it what brings data in.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function appsSection(tools) {
  return [
    ...(await assistants(tools)),
    await group('clients', 'apps', () => clientsList(tools), tools),
    ...(tools.parts.has('accounts')
      ? [await group('accounts', 'services', () => accountsList(tools), tools)]
      : []),
  ]
}

/** What fails of them leaves the rest as it is.  @param {Tools} tools @returns {Promise<Node[]>} */
async function assistants(tools) {
  try {
    return await assistantsGroup(tools)
  } catch (error) {
    return [failure(error, tools.t, async () => tools.reload())]
  }
}

/**
 * @param {'clients' | 'accounts'} words
 * @param {string} name as addresses have it
 * @param {() => Promise<readonly Node[]>} load
 * @param {Tools} tools
 */
async function group(words, name, load, { t }) {
  return make(
    'section',
    { class: 'group', 'aria-labelledby': `${name}-title`, 'data-part': name },
    make('h2', { class: 'group__title', id: `${name}-title` }, t(`${words}.title`)),
    make('p', { class: 'muted small' }, t(`${words}.lead`)),
    await part(t, load),
  )
}
