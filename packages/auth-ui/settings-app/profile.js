import { make, withTime } from './_kit/dom.js'
import { makeField, wayElsewhere, whileBusy } from './fields.js'
import { loadFactors } from './factors-data.js'
import { tellPasskeys } from './passkey-signals.js'
import { changeEmail, emailCard } from './profile-email.js'
import { changePhone, phoneCard } from './profile-phone.js'
import { storageCard } from './storage.js'
import { part, said } from './states.js'
import { isRefusal, wordsFor } from './words.js'

/**
 * Who the owner is here, as `GET /settings/profile` tells it.
 *
 * @typedef {object} Profile
 * @property {string | null} email
 * @property {{ address: string, sent_at: string, expires_at: string } | null} email_pending
 * @property {{ address: string, until: string, can_undo: boolean } | null} email_previous
 * @property {string} public_name
 * @property {string} locale
 * @property {readonly string[]} locales
 * @property {string | null} time_zone
 * @property {{ number: string, verified_at: string | null } | null} phone
 * @property {{ number: string, expires_at: string } | null} phone_pending
 * @property {boolean} sms whether texts can be sent
 * @property {string} domain
 * @property {boolean} magic_link
 * @property {boolean} password_defined
 * @property {string} created_at
 */
/** @typedef {import('./main.js').Tools} Tools */

/**
 * Who the owner is here, how email reaches them, and the space itself.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function profileSection(tools) {
  const { api, confirmation, t } = tools
  // What the owner confirmed a moment ago goes on by itself.
  const intent = confirmation.take('profile')
  const step = intent === undefined ? undefined : await goOn(intent.name, tools)
  if (step !== undefined) return step
  const answer = await api.call('GET', '/settings/profile')
  const { data } =
    /** @type {{ data: { attributes: Profile, meta: { rev: string }, links?: Record<string, string> } }} */ (
      answer
    )
  return [
    aboutForm(data.attributes, data.meta.rev, data.links ?? {}, tools),
    emailCard(data.attributes, data.links ?? {}, tools),
    ...phoneCard(data.attributes, tools),
    await part(t, async () => [await storageCard(tools)]),
    spaceCard(data.attributes, data.links ?? {}, tools),
  ]
}

/** @param {string} name @param {Tools} tools @returns {Promise<Node[] | undefined>} the step to show, if there is one */
async function goOn(name, tools) {
  if (name !== 'phone' && name !== 'phone.code' && name !== 'phone.remove') {
    return changeEmail(tools)
  }
  try {
    return await changePhone(name, tools, true)
  } catch (error) {
    tools.tell(wordsFor(error, tools.t))
    return undefined
  }
}

/** @param {Profile} profile @param {string} rev @param {Record<string, string>} links @param {Tools} tools */
function aboutForm(profile, rev, links, tools) {
  const { api, t, tell, warn } = tools
  const elsewhere = links['public_name']
  const name = makeField({
    id: 'public-name',
    label: t('profile.name'),
    hint: elsewhere === undefined ? t('profile.name.hint') : '',
    attributes: {
      type: 'text',
      maxlength: '100',
      autocomplete: 'name',
      value: profile.public_name,
      ...(elsewhere === undefined ? {} : { readonly: '' }),
    },
    after: elsewhere === undefined ? [] : [wayElsewhere(elsewhere, t)],
  })
  const language = languageField(profile, tools)
  const zone = makeField({
    id: 'time-zone',
    label: t('profile.zone'),
    attributes: {
      value: profile.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      list: 'time-zones',
      maxlength: '64',
      autocomplete: 'off',
      spellcheck: 'false',
      dir: 'ltr',
    },
    after: [
      make(
        'datalist',
        { id: 'time-zones' },
        ...Intl.supportedValuesOf('timeZone').map((each) => make('option', { value: each })),
      ),
    ],
  })
  const save = make(
    'button',
    { class: 'button button--primary', type: 'submit' },
    t('profile.save'),
  )
  const saved = said()
  let before = profile.public_name
  let revision = rev
  const form = make(
    'form',
    { class: 'box form', novalidate: '', 'aria-labelledby': 'about-title' },
    make('h2', { id: 'about-title' }, t('profile.about')),
    name.root,
    language.root,
    zone.root,
    make('div', { class: 'form__buttons' }, save, saved.root),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const typed = name.input.value.trim()
    const isMissing = typed === '' && elsewhere === undefined
    name.fail(isMissing ? t('profile.name.bad') : '')
    zone.fail('')
    if (isMissing) return
    saved.say('')
    warn('')
    const change = {
      rev: revision,
      ...(elsewhere === undefined ? { public_name: typed } : {}),
      locale: language.select.value,
      time_zone: zone.input.value.trim(),
    }
    whileBusy(save, t('app.saving'), async () => {
      const answer = await api.call('PATCH', '/settings/profile', change)
      const isSeen = change.locale !== language.before || typed !== before
      if (!isSeen) {
        const { data } = /** @type {{ data: { meta: { rev: string } } }} */ (answer)
        revision = data.meta.rev
        before = typed
        saved.say(t('profile.saved'))
        return undefined
      }
      tell(t('profile.saved'))
      // The password manager hears of a new name, too.
      if (typed !== before) {
        await loadFactors(api)
          .then(tellPasskeys)
          .catch(() => {})
      }
      // Texts and the name at the top come with the page.
      location.reload()
      return new Promise(() => {})
    }).catch((error) => {
      if (isRefusal(error, 'invalid_parameter')) zone.fail(t('profile.zone.bad'))
      else warn(isRefusal(error, 'conflict') ? t('profile.conflict') : wordsFor(error, t))
    })
  })
  return form
}

/** @param {Profile} profile @param {Tools} tools */
function languageField({ locale, locales }, { t }) {
  const base = locale.split('-')[0]?.toLowerCase() ?? 'en'
  const before = locales.includes(locale) ? locale : locales.includes(base) ? base : 'en'
  const select = make(
    'select',
    { class: 'field__input', id: 'language' },
    ...locales.map((each) => make('option', { value: each, lang: each }, nameOfLanguage(each))),
  )
  select.value = before
  const root = make(
    'div',
    { class: 'field' },
    make('label', { class: 'field__label', for: 'language' }, t('profile.language')),
    make('div', { class: 'field__box' }, select),
    make('p', { class: 'field__error' }),
  )
  return { root, select, before }
}

/** In its own words: whoever looks for it need not read another.  @param {string} locale */
function nameOfLanguage(locale) {
  const name = new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
}

/** @param {Profile} profile @param {Record<string, string>} links @param {Tools} tools */
function spaceCard({ domain, created_at: since }, links, { t, when }) {
  const ways = ['export', 'close'].flatMap((name) => {
    const href = links[name]
    return href === undefined ? [] : [make('a', { class: 'button', href }, t(`profile.${name}`))]
  })
  return make(
    'section',
    { class: 'box', 'data-part': 'space' },
    make('h2', {}, t('profile.space')),
    make('p', {}, make('bdi', { dir: 'ltr' }, domain)),
    make('p', { class: 'muted' }, ...withTime(t, 'profile.since', when(since))),
    ...(ways.length === 0 ? [] : [make('div', { class: 'form__buttons' }, ...ways)]),
  )
}
