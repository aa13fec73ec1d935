import { ApiError, createApi } from './_kit/api.js'
import { appOrigin } from './_kit/app-origin.js'
import { byId, colourOf, shownName } from './_kit/dom.js'
import { drawLogOut } from './_kit/log-out.js'
import { appTile, drawHead } from './_kit/start-page.js'
import { loadTexts } from './_kit/texts.js'
import { showAccounts } from './accounts.js'
import { showCheckup } from './checkup.js'
import { showNews } from './news.js'

/**
 * What the parts of the page work with.
 *
 * @typedef {object} Tools
 * @property {ReturnType<typeof createApi>} api
 * @property {import('./_kit/texts.js').Translate} t
 * @property {(iso: string) => { iso: string, text: string, exact: string }} when
 * @property {readonly App[]} apps installed beside this one
 * @property {(slug: string) => string} addressOf an app
 * @property {string} namespace prefix of the instance's doctypes
 * @property {ReadonlySet<string>} parts what not every server has, and this one does
 * @property {string} domain of the instance
 * @property {(error: unknown) => void} report says what did not work
 */

/** @typedef {{ slug: string, name: string }} App */

const SETTINGS = 'settings'

const root = byId('app')
const {
  svcApps = '[]',
  svcDomain: domain = location.host,
  svcLocale = 'en',
  svcName: name = domain,
  svcNamespace: namespace = 'io.svc',
  svcParts = '',
  svcSlug: slug = 'home',
} = root.dataset
const api = createApi(root)
const { locale, t, when } = await loadTexts(import.meta.url, svcLocale)
/** The server wrote it. @type {readonly App[]} */
const apps = JSON.parse(svcApps)

/** @type {Tools} */
const tools = {
  api,
  t,
  when,
  apps,
  namespace,
  parts: new Set(svcParts.split(' ')),
  domain,
  addressOf: (other) => appOrigin(location, domain, slug, other),
  report: (error) => {
    const isOffline = error instanceof ApiError && error.status === 0
    byId('problem').textContent = t(isOffline ? 'home.offline' : 'home.failed')
    byId('problem').hidden = false
  },
}

document.documentElement.lang = locale
drawHead({
  name,
  domain,
  title: t('home.title'),
  heading: name === domain ? t('home.hello') : t('home.helloName', { name: shownName(name) }),
})
drawLogOut(tools)
byId('apps-title').textContent = t('apps.title')
byId('apps').replaceChildren(...apps.map(tileOf))
// Back from another page: what stands here may be of before.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
await Promise.all([showCheckup(tools), showAccounts(tools), showNews(tools)])

/** @param {App} app */
function tileOf(app) {
  const isSettings = app.slug === SETTINGS
  const shown = isSettings ? t('apps.settings') : shownName(app.name)
  return appTile({
    href: `${tools.addressOf(app.slug)}/`,
    name: shown,
    text: isSettings ? t('apps.settings.text') : '',
    tile: isSettings ? 6 : colourOf(app.name),
  })
}
