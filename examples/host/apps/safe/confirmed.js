import { byId } from './_kit/dom.js'
import { loadTexts } from './_kit/texts.js'
import { handOver } from './confirm-window.js'

// The window that was opened to confirm ends here: it hands the code to the one that waits for it, and goes.
const isHandedOver = handOver()
const { svcLocale = 'en' } = byId('app').dataset
const { locale, t } = await loadTexts(import.meta.url, svcLocale)
document.documentElement.lang = locale
document.title = t('safe.title')
byId('title').textContent = t(isHandedOver ? 'confirmed.title' : 'confirmed.none')
byId('lead').textContent = t(isHandedOver ? 'confirmed.text' : 'confirmed.none.text')
byId('back').textContent = t('confirmed.back')
if (isHandedOver) window.close()
