import type { Client } from '../clients/client.ts'

/** An app that owners can no longer connect. @see oauth.md 5.6 */
export interface DeprecatedApp {
  /** `software_id` of its clients. */
  readonly softwareId: string
  /** Its name, for the owner. */
  readonly name: string
  /** Where what takes its place is found, as absolute URIs of any scheme that runs no script, such as `market:`. */
  readonly storeUrls: {
    readonly android?: string
    readonly iphone?: string
    /** For everything else, and where the platform has none of its own. */
    readonly other: string
  }
}

/** The app that a client is of, when it is one of these. */
export function findDeprecated(
  apps: readonly DeprecatedApp[],
  { metadata }: Client,
): DeprecatedApp | undefined {
  return apps.find(({ softwareId }) => softwareId === metadata.software_id)
}

/** The store of the device that asks. @see oauth.md 5.6 */
export function storeUrlOf({ storeUrls }: DeprecatedApp, userAgent: string): string {
  const agent = userAgent.toLowerCase()
  if (agent.includes('android')) return storeUrls.android ?? storeUrls.other
  if (agent.includes('iphone') || agent.includes('ipad')) return storeUrls.iphone ?? storeUrls.other
  return storeUrls.other
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i
/** A link with one of these would do something in the instance's name instead of leading anywhere. */
const REFUSED: ReadonlySet<string> = new Set([
  ...['about:', 'blob:', 'data:', 'file:', 'filesystem:', 'javascript:', 'vbscript:'],
])

/** @throws TypeError naming the option when a page could not be made of it */
export function checkDeprecatedApp(
  { softwareId, name, storeUrls }: DeprecatedApp,
  place: number,
): void {
  const path = `options.deprecatedApps.${place}`
  for (const text of [softwareId, name]) {
    if (typeof text !== 'string' || text === '')
      throw new TypeError(`${path} must have softwareId and name`)
  }
  if (storeUrls.other === undefined || !Object.values(storeUrls).every(isStoreUrl))
    throw new TypeError(`${path}.storeUrls must be absolute URIs, other among them`)
}

/** Whether a page may link to it. */
function isStoreUrl(value: unknown): value is string {
  if (typeof value !== 'string' || !SCHEME.test(value)) return false
  const url = URL.parse(value)
  return url !== null && !REFUSED.has(url.protocol)
}
