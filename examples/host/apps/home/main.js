import { showAccounts } from './accounts.js'
import { ApiError, createApi } from './_kit/api.js'
import { appOrigin } from './_kit/app-origin.js'
import { byId } from './_kit/dom.js'
import { showInbox } from './inbox.js'
import { showNotes } from './notes.js'
import { drawLogOut } from './_kit/log-out.js'
import { createRealtime } from './_kit/realtime.js'
import { appTile, drawHead } from './_kit/start-page.js'
import { loadTexts } from './_kit/texts.js'

/**
 * What the parts of the page work with.
 *
 * @typedef {object} Tools
 * @property {ReturnType<typeof createApi>} api
 * @property {import('./_kit/texts.js').Translate} t
 * @property {(iso: string) => { iso: string, text: string, exact: string }} when
 * @property {(slug?: string) => string} senderOf name of an app; without one, the space itself
 * @property {(error: unknown) => void} report says what did not work
 * @property {() => void} settle takes that away
 * @property {string} namespace prefix of the instance's doctypes
 * @property {string} domain of the instance
 * @property {string} slug of this app
 * @property {ReturnType<typeof createRealtime>} realtime connects with the first subscription
 */

/** What every new instance has beside this app. */
const APPS = [
  { slug: 'safe', tile: 3 },
  { slug: 'settings', tile: 6 },
]

const root = byId('app')
const api = createApi(root)
const { locale, t, when } = await loadTexts(import.meta.url, root.dataset['svcLocale'] ?? 'en')

const namespace = root.dataset['svcNamespace'] ?? 'io.svc'

/** @type {Tools} */
const tools = {
  api,
  t,
  when,
  senderOf: (slug = '') => {
    if (slug === '') return tools.domain
    const words = t(`apps.${slug}`)
    return words === `apps.${slug}` ? slug : words
  },
  namespace,
  domain: root.dataset['svcDomain'] ?? location.host,
  slug: root.dataset['svcSlug'] ?? 'home',
  realtime: createRealtime(api, { namespace }),
  report: (error) => {
    const isOffline = error instanceof ApiError && error.status === 0
    byId('problem').textContent = t(isOffline ? 'home.offline' : 'home.failed')
    byId('problem').hidden = false
  },
  settle: () => {
    byId('problem').hidden = true
  },
}

function frame() {
  const {
    svcDomain: domain = location.host,
    svcName: name = domain,
    svcSlug = 'home',
  } = root.dataset
  document.documentElement.lang = locale
  drawHead({ name, domain, title: t('home.title'), heading: t('home.hello') })
  byId('apps-title').textContent = t('apps.title')
  byId('apps').replaceChildren(
    ...APPS.map(({ slug, tile }) =>
      appTile({
        href: appOrigin(location, domain, svcSlug, slug),
        name: t(`apps.${slug}`),
        text: t(`apps.${slug}.text`),
        tile,
      }),
    ),
  )
  drawLogOut(tools)
}

frame()
await Promise.all([showAccounts(tools), showInbox(tools), showNotes(tools)])
