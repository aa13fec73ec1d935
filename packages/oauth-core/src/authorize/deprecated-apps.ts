import { list, object, type Option, text } from '@svc/platform/options'
import type { Client } from '../clients/client.ts'

/** An app that owners can no longer connect. @see oauth.md 5.6 */
export interface DeprecatedApp {
  /** `software_id` of its clients. */
  readonly softwareId: string
  /** Its name, for the owner. */
  readonly name: string
  /** Where what takes its place is found, as absolute URIs of any scheme that runs no script, such as `market:`. */
  readonly storeUrls: {
    /** For browsers on Android. */
    readonly android?: string
    /** For browsers on an iPhone or iPad. */
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
  'about:',
  'blob:',
  'data:',
  'file:',
  'filesystem:',
  'javascript:',
  'vbscript:',
])

const MOST_APPS = 1000

/** The option that lists them: a page can be made of each. */
export function deprecatedApps(): Option<readonly DeprecatedApp[]> {
  const storeUrl = text('an absolute URI that runs no script', isStoreUrl)
  const app = object({
    softwareId: text('a software_id'),
    name: text('a name'),
    storeUrls: object({
      android: storeUrl.optional(),
      iphone: storeUrl.optional(),
      other: storeUrl,
    }),
  })
  return list(app, MOST_APPS)
}

/** Whether a page may link to it. */
function isStoreUrl(value: string): boolean {
  if (!SCHEME.test(value)) return false
  const url = URL.parse(value)
  return url !== null && !REFUSED.has(url.protocol)
}
