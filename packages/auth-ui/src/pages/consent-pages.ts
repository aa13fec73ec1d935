import { assistantModel, namesOfServer } from '../consent/assistant-model.ts'
import { colourOf, consentModel } from '../consent/consent-model.ts'
import { namesOfSpace } from '../consent/look-alike.ts'
import { webAddress } from '../consent/redirect-target.ts'
import type { Instance } from '@svc/platform'
import type { KindOptions } from '../consent/kind-facts.ts'
import { isolated, leftToRight } from '../messages.ts'
import type { PageRenderer } from './page-renderer.ts'
import { errorModel } from './error-model.ts'
import { keepsOpener } from './page-headers.ts'
import { problemTexts } from './form-problem.ts'
import type { ShowPage } from './show-page.ts'
import { initialsOf } from '../views.ts'

/** What an authorization shows, and what went wrong anywhere. */
export type ConsentPages = Pick<
  PageRenderer,
  'assistantPage' | 'certifyPage' | 'consentPage' | 'errorPage' | 'outOfBandPage'
>

/** How kinds of data are called, and what the product is. */
export interface ConsentPagesOptions extends Omit<KindOptions, 'messages'> {
  /** Name of the embedding product; empty: it has none. */
  readonly productOf: (instance: Instance) => string
}

/** Codes of answers to the second step of a consent. */
const CONFIRMATION_PROBLEMS = ['rate_limited', 'two_factor_invalid'] as const

/** @see oauth.md 5 */
export function createConsentPages(
  { messagesOf, show, showAlone }: ShowPage,
  { productOf, ...kinds }: ConsentPagesOptions,
): ConsentPages {
  return {
    async consentPage(ctx, model) {
      const { instance } = ctx.state
      const { timeZone } = instance
      const words = consentModel(model.view, {
        ...kinds,
        messages: messagesOf(ctx),
        ownNames: namesOfSpace(instance, productOf(instance), model.appNames ?? []),
        ...(timeZone === undefined ? {} : { timeZone }),
      })
      show(
        ctx,
        'consent',
        { model, ...words },
        { formActionSources: model.formActionSources, keepsOpener: true },
        model.view.client,
      )
    },

    async assistantPage(ctx, model) {
      const { domain, publicName = '', timeZone } = ctx.state.instance
      const words = assistantModel(model.view, {
        ...kinds,
        messages: messagesOf(ctx),
        ownNames: namesOfServer(domain, publicName, productOf(ctx.state.instance)),
        ...(timeZone === undefined ? {} : { timeZone }),
      })
      const headers = { formActionSources: model.formActionSources, keepsOpener: true }
      show(ctx, 'assistant', { model, ...words }, headers, model.view.client)
    },

    async certifyPage(ctx, model) {
      const { metadata, id } = model.client
      const host = webAddress(metadata.client_uri)?.host
      const name = metadata.client_name
      show(
        ctx,
        'certify',
        {
          model,
          action: `/auth/clients/${id}/flagship`,
          app: {
            name: isolated(name),
            initials: initialsOf(name, 2),
            colour: colourOf(name),
            ...(host === undefined ? {} : { host: leftToRight(host) }),
          },
          minutes: Math.max(1, Math.round(model.endsInMs / 60_000)),
          problems: problemTexts(messagesOf(ctx), CONFIRMATION_PROBLEMS),
        },
        { keepsOpener: true },
        model.client,
      )
    },

    async outOfBandPage(ctx, model) {
      showAlone(ctx, 'out-of-band', { model }, { keepsOpener: true })
    },

    async errorPage(ctx, model) {
      const { instance, appSlug } = ctx.state
      // The way on is a path of the instance, also on an app's host.
      const words = errorModel(model, messagesOf(ctx), appSlug === undefined ? '' : instance.origin)
      const domain = leftToRight(instance.domain)
      // It loads nothing: app hosts have no assets of ours, and a blocked instance has none at all.
      showAlone(ctx, words.view, { ...words, domain }, { keepsOpener: keepsOpener(ctx.path) })
    },
  }
}
