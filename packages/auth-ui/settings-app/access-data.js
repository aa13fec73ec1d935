/**
 * An entry of `GET /settings/access`.
 *
 * @typedef {object} AccessAttributes
 * @property {'client' | 'session' | 'trusted_device'} kind
 * @property {string} name
 * @property {string} [client_kind]
 * @property {string} [platform]
 * @property {boolean} [current]
 * @property {readonly { scope: string, text: string, until?: string }[]} permissions
 * @property {string} created_at
 * @property {string} [last_used_at]
 * @property {string} [last_used_from]
 * @property {string} [country]
 * @property {string} [expires_at]
 */

/** @typedef {{ id: string, about: AccessAttributes }} Access */

/**
 * What can be ended, by kind: where, and in which words it is asked.
 *
 * @type {Readonly<Record<AccessAttributes['kind'], {
 *   path: string
 *   end: string
 *   label: string
 *   title: string
 *   text: string
 *   busy: string
 *   ended: string
 * }>>}
 */
export const ENDINGS = {
  client: {
    path: '/settings/clients/',
    end: 'clients.revoke',
    label: 'clients.revoke.label',
    title: 'clients.revoke.title',
    text: 'clients.revoke.text',
    busy: 'clients.revoke.busy',
    ended: 'clients.revoked',
  },
  session: {
    path: '/settings/sessions/',
    end: 'sessions.end',
    label: 'sessions.end.label',
    title: 'sessions.end.title',
    text: 'sessions.end.text',
    busy: 'sessions.end.busy',
    ended: 'sessions.ended',
  },
  trusted_device: {
    path: '/settings/trusted_devices/',
    end: 'devices.remove',
    label: 'devices.remove.label',
    title: 'devices.remove.title',
    text: 'devices.remove.text',
    busy: 'app.removing',
    ended: 'devices.removed',
  },
}

/** In the order they are shown. @type {readonly AccessAttributes['kind'][]} */
export const KINDS = ['client', 'session', 'trusted_device']

/**
 * @param {readonly import('./_kit/api.js').Resource[]} resources
 * @returns {readonly Access[]}
 */
export function readAccess(resources) {
  return resources
    .map(({ id, attributes }) => {
      // The shape of `GET /settings/access`.
      const about = /** @type {AccessAttributes} */ (/** @type {unknown} */ (attributes))
      return { id, about }
    })
    .filter(({ about }) => Object.hasOwn(ENDINGS, about.kind))
    .sort(byUse)
}

/** This browser first, then what was used last. @param {Access} one @param {Access} other */
function byUse({ about: one }, { about: other }) {
  if (one.current !== other.current) return one.current === true ? -1 : 1
  return lastUse(other).localeCompare(lastUse(one))
}

/** @param {AccessAttributes} about */
function lastUse({ last_used_at: used, created_at: created }) {
  return used ?? created
}
