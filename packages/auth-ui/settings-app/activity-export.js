import { ApiError } from './_kit/api.js'
import { isRefusal } from './words.js'

/**
 * Lets the browser save the whole record.
 *
 * @param {import('./main.js').Tools} tools
 * @param {import('./_kit/confirmation.js').Proof} proof
 */
export async function exportRecord({ api, t, confirmation, domain, tell, warn }, proof) {
  try {
    const text = await api.text('POST', '/settings/activity/export', proof)
    const address = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }))
    const link = document.createElement('a')
    link.href = address
    link.download = `activity-${domain}.jsonl`
    link.click()
    URL.revokeObjectURL(address)
    tell(t('activity.exported'))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (isRefusal(error, 'confirmation_required')) confirmation.forget()
    warn(t('app.failed'))
  }
}
