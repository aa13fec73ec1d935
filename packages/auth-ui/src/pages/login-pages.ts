import { isolated, type Messages } from '../messages.ts'
import type { PasscodePageModel } from './page-models.ts'
import type { PageRenderer } from './page-renderer.ts'
import { problemsBeside, problemText, problemTexts } from './form-problem.ts'
import type { ShowPage } from './show-page.ts'

/** The ways in. */
export type LoginPages = Pick<
  PageRenderer,
  'loginPage' | 'magicLinkOpenPage' | 'magicLinkPassphrasePage' | 'passcodePage'
>

/** Codes of answers that a passphrase form can get. */
const PASSPHRASE_PROBLEMS = [
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
const PASSCODE_PROBLEMS = [
  'cross_origin',
  'csrf_invalid',
  'csrf_missing',
  'rate_limited',
  'two_factor_invalid',
] as const

/** @see login.md 5.1, 5.3 */
export function createLoginPages({ messagesOf, show }: ShowPage): LoginPages {
  return {
    async loginPage(ctx, model) {
      const messages = messagesOf(ctx)
      show(
        ctx,
        'login',
        {
          model,
          ...problemsBeside(messages, model.problem),
          problems: problemTexts(messages, PASSPHRASE_PROBLEMS),
        },
        { formActionSources: model.formActionSources, keepsOpener: true },
      )
    },

    async passcodePage(ctx, model) {
      const messages = messagesOf(ctx)
      show(
        ctx,
        'passcode',
        {
          model,
          ...passcodeWords(model),
          has: Object.fromEntries(model.factors.map((kind) => [kind, true])),
          ...passcodeProblems(messages, model),
          options: JSON.stringify(model.passkeyOptions ?? {}),
          endsInMs: Math.max(0, model.expiresAt - model.now),
          minutes: Math.max(1, Math.round((model.expiresAt - model.now) / 60_000)),
          timeText: messages.text('passcode.time', { time: isolated('{time}') }),
          waitText: messages.text('passcode.resend.wait', { seconds: isolated('{seconds}') }),
        },
        { formActionSources: model.formActionSources, keepsOpener: true },
      )
    },

    async magicLinkOpenPage(ctx, model) {
      show(
        ctx,
        'magic-link-open',
        { model },
        { formActionSources: model.formActionSources, keepsOpener: true },
      )
    },

    async magicLinkPassphrasePage(ctx, model) {
      const messages = messagesOf(ctx)
      show(
        ctx,
        'magic-link-passphrase',
        {
          model,
          problem: problemText(messages, model.problem),
          problems: problemTexts(messages, PASSPHRASE_PROBLEMS),
        },
        { formActionSources: model.formActionSources, keepsOpener: true },
      )
    },
  }
}

/** What was wrong, in words about the only kind of code that the page takes where that is a recovery code. */
function passcodeProblems(messages: Messages, model: PasscodePageModel): object {
  const problem = problemText(messages, model.problem)
  const problems = problemTexts(messages, PASSCODE_PROBLEMS)
  if (codeOf(model) !== 'recovery') return { problem, problems }
  const wrong = messages.text('passcode.recovery.wrong')
  return {
    problem: model.problem?.code === 'two_factor_invalid' ? wrong : problem,
    problems: { ...problems, two_factor_invalid: wrong },
  }
}

/** The codes of six digits that the page takes, or else a recovery code. */
function codeOf({ factors }: PasscodePageModel): 'both' | 'mail' | 'own' | 'recovery' | 'totp' {
  const has = (kind: PasscodePageModel['factors'][number]): boolean => factors.includes(kind)
  // What they look like is the host's: no text says digits, and nothing is left out of what one can type.
  if (hasOwn(factors)) return 'own'
  if (has('mail')) return has('totp') ? 'both' : 'mail'
  return has('totp') ? 'totp' : 'recovery'
}

function hasOwn(factors: PasscodePageModel['factors']): boolean {
  return factors.some((kind) => kind.startsWith('x-'))
}

/** Which code goes into the one field, and what the button does. Keys of the catalogue. */
function passcodeWords(model: PasscodePageModel): object {
  const has = (kind: PasscodePageModel['factors'][number]): boolean => model.factors.includes(kind)
  const code = codeOf(model)
  const takesCode = has('mail') || has('totp') || has('recovery') || code === 'own'
  const purpose = model.purpose === 'login' || model.purpose === 'confirm' ? model.purpose : 'other'
  return {
    takesCode,
    leadKey: `passcode.lead.${has('passkey') ? (takesCode ? 'passkeyCode' : 'passkey') : code}`,
    // With a passkey the page's first words are about both ways, and the field says where its code is.
    hintKey: has('passkey') ? `passcode.code.${code}` : '',
    letsSwitch: has('recovery') && code !== 'recovery' && code !== 'own',
    emptyKey: code === 'recovery' ? 'passcode.recovery.empty' : 'passcode.empty',
    autocomplete: code === 'recovery' ? 'off' : 'one-time-code',
    labelKey: code === 'recovery' ? 'passcode.recovery.label' : 'passcode.label',
    // Recovery codes have letters: the script offers digits first, and letters when they are wanted.
    inputmode: has('recovery') || code === 'own' ? 'text' : 'numeric',
    submitKey: `passcode.submit.${purpose}`,
    busyKey: `passcode.busy.${purpose}`,
  }
}
