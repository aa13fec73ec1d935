import { isolated, leftToRight } from '../messages.ts'
import type { PageRenderer } from './page-renderer.ts'
import { problemsBeside, problemText, problemTexts } from './form-problem.ts'
import type { ShowPage } from './show-page.ts'

/** Confirming, and what needs it. */
export type ConfirmPages = Pick<
  PageRenderer,
  'confirmPage' | 'emailPage' | 'passkeyOfferPage' | 'passkeyPage'
>

const CONFIRM_PROBLEMS = [
  'busy',
  'cross_origin',
  'csrf_invalid',
  'csrf_missing',
  'invalid_passphrase',
  'mail_failed',
  'passkey_expired',
  'passkey_invalid',
  'passkey_unknown',
  'rate_limited',
] as const

const OFFER_PROBLEMS = ['cross_origin', 'csrf_invalid', 'csrf_missing'] as const

/** @see login.md 6 */
export function createConfirmPages({ messagesOf, show }: ShowPage): ConfirmPages {
  return {
    async confirmPage(ctx, model) {
      const messages = messagesOf(ctx)
      show(
        ctx,
        'confirm',
        {
          model,
          options: model.requiresPassphrase ? '' : JSON.stringify(model.passkeyOptions),
          mailsCodeTo: model.mailsCodeTo === undefined ? undefined : isolated(model.mailsCodeTo),
          askedBy: model.askedBy === undefined ? undefined : isolated(model.askedBy),
          ...problemsBeside(messages, model.problem),
          problems: problemTexts(messages, CONFIRM_PROBLEMS),
        },
        { formActionSources: model.formActionSources, keepsOpener: true },
      )
    },

    async emailPage(ctx, model) {
      show(
        ctx,
        'email',
        {
          model,
          address: leftToRight(model.address),
          oldAddress: model.oldAddress === undefined ? undefined : leftToRight(model.oldAddress),
        },
        { formActionSources: model.formActionSources },
      )
    },

    async passkeyOfferPage(ctx, model) {
      show(
        ctx,
        'passkey-offer',
        {
          model,
          options: JSON.stringify(model.options),
          problems: problemTexts(messagesOf(ctx), OFFER_PROBLEMS),
        },
        { formActionSources: model.formActionSources },
      )
    },

    async passkeyPage(ctx, model) {
      show(
        ctx,
        'passkey',
        {
          model,
          options: JSON.stringify(model.options),
          problem: problemText(messagesOf(ctx), model.problem),
        },
        { formActionSources: model.formActionSources },
      )
    },
  }
}
