import { consentModel } from '../consent/consent-model.ts'
import { isolated } from '../messages.ts'
import type { PageRenderer } from '../page-renderer.ts'
import { errorModel } from './error-model.ts'
import { keepsOpener } from './keeps-opener.ts'
import type { ShowPage } from './show-page.ts'

/** What an authorization shows, and what went wrong anywhere. */
export type ConsentPages = Pick<PageRenderer, 'consentPage' | 'errorPage' | 'outOfBandPage'>

/**
 * @param namespace prefix of doctypes, for permission texts
 * @see oauth.md 5
 */
export function createConsentPages(
  { messagesOf, show, showAlone }: ShowPage,
  namespace: string,
): ConsentPages {
  return {
    async consentPage(ctx, model) {
      show(
        ctx,
        'consent',
        { model, ...consentModel(model.view, namespace, messagesOf(ctx)) },
        { formActionSources: model.formActionSources, keepsOpener: true },
      )
    },

    async outOfBandPage(ctx, model) {
      showAlone(ctx, 'out-of-band', { model }, { keepsOpener: true })
    },

    async errorPage(ctx, model) {
      const { instance, appSlug } = ctx.state
      // The way on is a path of the instance, also on an app's host.
      const words = errorModel(model, messagesOf(ctx), appSlug === undefined ? '' : instance.origin)
      const domain = isolated(instance.domain)
      // It loads nothing: app hosts have no assets of ours, and a blocked instance has none at all.
      showAlone(ctx, words.view, { ...words, domain }, { keepsOpener: keepsOpener(ctx.path) })
    },
  }
}
