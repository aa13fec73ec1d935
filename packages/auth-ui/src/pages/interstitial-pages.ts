import { clientName } from '../consent/client-name.ts'
import { workingLink } from '../consent/redirect-target.ts'
import { isolated } from '../messages.ts'
import type { PageRenderer } from './page-renderer.ts'
import type { ShowPage } from './show-page.ts'

/** What may stand where a consent was asked for. */
export type InterstitialPages = Pick<PageRenderer, 'deprecatedPage' | 'limitPage'>

/** How often the page of the limit looks by itself, seconds. @see oauth.md 5.4 */
const REFRESH_S = 20

/** @see oauth.md 5.4, 5.6 */
export function createInterstitialPages({ messagesOf, show }: ShowPage): InterstitialPages {
  return {
    async limitPage(ctx, model) {
      const { name, unnamed, isPosted, retryHref } = model
      const shown = isolated(clientName(messagesOf(ctx), name, unnamed))
      // What was posted is not posted again: its request is asked anew.
      const refresh = isPosted ? `${REFRESH_S};url=${retryHref}` : String(REFRESH_S)
      show(ctx, 'limit', { model, name: shown, refresh }, { keepsOpener: true })
    },

    async deprecatedPage(ctx, { name, storeUrl }) {
      show(
        ctx,
        'deprecated',
        { name: isolated(name), storeUrl: workingLink(storeUrl) ?? '/' },
        { keepsOpener: true },
      )
    },
  }
}
