import { ask } from './ask.js'
import { makeRights } from './client-rights.js'
import { whileBusy } from './fields.js'
import { make, withName, withTime } from './_kit/dom.js'
import { wordsFor } from './words.js'

/** @typedef {import('./clients.js').ClientAttributes} ClientAttributes */
/** @typedef {import('./main.js').Tools} Tools */

/**
 * What a client may do and until when, and the end of it.
 *
 * @param {string} id
 * @param {string} name
 * @param {ClientAttributes} about
 * @param {Tools} tools
 */
export function clientDetails(id, name, about, tools) {
  const { t } = tools
  const { permissions } = about
  const isWhole = about.scope?.startsWith('@') === true
  const shrink = async (/** @type {string} */ scope) => {
    await tools.api.call('PATCH', `/settings/clients/${encodeURIComponent(id)}`, { scope })
  }
  const rights = makeRights(permissions, name, tools, isWhole ? undefined : shrink)
  return make(
    'details',
    { class: 'item__details' },
    make('summary', {}, t('clients.may')),
    make(
      'div',
      { class: 'item__opened' },
      permissions.length === 0 ? make('p', { class: 'muted' }, t('clients.nothing')) : rights,
      times(about, tools),
      raw(id, about, tools),
      make(
        'div',
        { class: 'form__buttons' },
        ...extendButton(id, name, about, tools),
        removeButton(id, name, about, tools),
      ),
    ),
  )
}

/** @param {ClientAttributes} about @param {Tools} tools */
function times(
  { permissions, created_at: since, expires_at: end, last_used_from: from = '' },
  tools,
) {
  const { t, when } = tools
  // Of a client that has nothing any more there is nothing to end.
  const isOver = permissions.length === 0
  return make(
    'p',
    { class: 'item__facts' },
    make('span', {}, ...withTime(t, 'clients.created', when(since))),
    ...(isOver
      ? []
      : [
          make(
            'span',
            {},
            ...(end === undefined ? [t('access.lasting')] : withTime(t, 'access.until', when(end))),
          ),
        ]),
    ...(from === '' ? [] : [make('span', {}, ...withName(t, 'access.from', from))]),
  )
}

/** As it stands, for those who look.  @param {string} id @param {ClientAttributes} about @param {Tools} tools */
function raw(id, { permissions, software_id, software_version = '' }, { t }) {
  const code = (/** @type {string} */ text) => make('dd', {}, make('code', { dir: 'ltr' }, text))
  return make(
    'details',
    { class: 'raw' },
    make('summary', {}, t('clients.raw')),
    make(
      'dl',
      {},
      make('dt', {}, t('clients.raw.scope')),
      ...permissions.map(({ scope }) => code(scope)),
      make('dt', {}, t('clients.raw.software')),
      code(`${software_id} ${software_version}`.trim()),
      make('dt', {}, t('clients.raw.id')),
      code(id),
    ),
  )
}

/**
 * @param {string} id
 * @param {string} name
 * @param {ClientAttributes} about
 * @param {Tools} tools
 */
function removeButton(id, name, { permissions }, { api, t, done }) {
  const button = make(
    'button',
    {
      class: 'button button--danger-quiet',
      type: 'button',
      'aria-label': t('clients.revoke.label', { name }),
    },
    t('clients.revoke'),
  )
  button.addEventListener('click', async () => {
    const isDone = await ask({
      title: withName(t, 'clients.revoke.title', name),
      text: t('clients.revoke.text'),
      losses: permissions.map(({ text }) => text),
      confirm: t('clients.revoke.confirm'),
      busy: t('clients.revoke.busy'),
      cancel: t('app.cancel'),
      failed: t('app.failed'),
      act: () => api.remove(`/settings/clients/${encodeURIComponent(id)}`),
    })
    if (isDone) done(t('clients.revoked', { name }))
  })
  return button
}

/**
 * What ends by itself can be allowed for longer without asking the app again.
 *
 * @param {string} id
 * @param {string} name
 * @param {ClientAttributes} about
 * @param {Tools} tools
 */
function extendButton(id, name, { expires_at: end, permissions }, { api, t, done, warn }) {
  if (end === undefined || permissions.length === 0) return []
  const label = t('clients.extend.label', { name })
  const button = make(
    'button',
    { class: 'button', type: 'button', 'aria-label': label },
    t('clients.extend'),
  )
  button.addEventListener('click', () => {
    whileBusy(button, t('app.saving'), async () => {
      await api.call('PATCH', `/settings/clients/${encodeURIComponent(id)}`, { duration: '30d' })
      done(t('clients.extended', { name }))
    }).catch((error) => warn(wordsFor(error, t)))
  })
  return [button]
}
