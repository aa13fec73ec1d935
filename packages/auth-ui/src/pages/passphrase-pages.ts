import type { PageRenderer } from './page-renderer.ts'
import { keepsOpener } from './page-headers.ts'
import { problemText, problemTexts } from './form-problem.ts'
import type { ShowPage } from './show-page.ts'

/** The first passphrase, another one, and the mails on the way there. */
export type PassphrasePages = Pick<
  PageRenderer,
  'activationPage' | 'choosePassphrasePage' | 'mailSentPage' | 'renewPage' | 'resetPage'
>

/** Codes of answers that a form for a new passphrase can get. */
const NEW_PASSPHRASE_PROBLEMS = [
  'busy',
  'cross_origin',
  'csrf_invalid',
  'csrf_missing',
  'invalid_hint',
  'invalid_parameter',
  'kdf_iterations',
  'rate_limited',
] as const

/** @see login.md 4.8, 5.5 */
export function createPassphrasePages({ messagesOf, show }: ShowPage): PassphrasePages {
  return {
    async activationPage(ctx, model) {
      const headers = {
        formActionSources: model.formActionSources,
        keepsOpener: keepsOpener(ctx.path),
      }
      show(ctx, 'activation', { model }, headers)
    },

    async choosePassphrasePage(ctx, model) {
      const messages = messagesOf(ctx)
      show(
        ctx,
        'choose-passphrase',
        {
          model,
          problem: problemText(messages, model.problem),
          isHintProblem: model.problem?.code === 'invalid_hint',
          problems: problemTexts(messages, NEW_PASSPHRASE_PROBLEMS),
        },
        { formActionSources: model.formActionSources },
      )
    },

    async renewPage(ctx, model) {
      const messages = messagesOf(ctx)
      show(
        ctx,
        'renew',
        {
          model,
          problem: problemText(messages, model.problem),
          isHintProblem: model.problem?.code === 'invalid_hint',
          problems: problemTexts(messages, NEW_PASSPHRASE_PROBLEMS),
        },
        { formActionSources: model.formActionSources },
      )
    },

    async resetPage(ctx, model) {
      show(ctx, 'reset', { model }, { formActionSources: model.formActionSources })
    },

    async mailSentPage(ctx, model) {
      show(ctx, 'mail-sent', { model }, { keepsOpener: keepsOpener(ctx.path) })
    },
  }
}
