/**
 * What the owner chose, as `GET /notifications/preferences` tells it.
 *
 * @typedef {'mobile' | 'sms' | 'mail'} ChannelName
 * @typedef {{ start: string, end: string }} QuietHours
 * @typedef {{ name: string, description: string, channels: Record<ChannelName, boolean>, digest: string | null }} Category
 * @typedef {{
 *   id: string
 *   name: string
 *   slug?: string
 *   blocked: boolean
 *   muted_until: string | null
 *   categories: readonly Category[]
 * }} Source
 * @typedef {{ time_zone: string | null, quiet_hours: QuietHours | null, sources: readonly Source[] }} Preferences
 */

const PATH = '/notifications/preferences'
/** @type {readonly ChannelName[]} */
export const CHANNELS = ['mobile', 'sms', 'mail']

/**
 * @param {import('./main.js').Tools['api']} api
 * @returns {Promise<Preferences>}
 */
export async function readPreferences(api) {
  const { data } = /** @type {{ data: { attributes: Preferences } }} */ (
    await api.call('GET', PATH)
  )
  return data.attributes
}

/**
 * Changes what is named, and nothing else.
 *
 * @param {import('./main.js').Tools['api']} api
 * @param {Record<string, unknown>} attributes
 */
export async function changePreferences(api, attributes) {
  await api.call('PATCH', PATH, { data: { attributes } })
}
