/**
 * What the owner chose, as `GET /notifications/preferences` tells it.
 *
 * A channel of the host has the words that the server gives for it.
 *
 * @typedef {string} ChannelName
 * @typedef {{ name: ChannelName, label: string }} HostChannel
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
 * @typedef {{ time_zone: string | null, quiet_hours: QuietHours | null, sources: readonly Source[], channels?: readonly HostChannel[] }} Preferences
 */

const PATH = '/notifications/preferences'
/**
 * The channels of a category with what they are called.
 *
 * @param {Category} category
 * @param {readonly HostChannel[]} own channels of the host
 * @param {import('./_kit/texts.js').Translate} t
 */
export function channelsOf({ channels }, own, t) {
  return Object.keys(channels).map((name) => ({
    name,
    label: own.find((each) => each.name === name)?.label ?? t(`channel.${name}`),
  }))
}

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
