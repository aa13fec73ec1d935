import type { ViewName } from '../views.ts'
import type {
  AssistantPageModel,
  ChoosePassphrasePageModel,
  ConfirmPageModel,
  ConsentPageModel,
  LoginPageModel,
  PasscodePageModel,
  RenewPageModel,
  ResetPageModel,
} from './page-models.ts'

/** A form of a page: where it goes, and what it has to send beside what the owner fills in. */
export interface PageForm {
  readonly action: string
  readonly method: 'post'
  /** Empty ones are filled in by a script, or sent empty. */
  readonly hidden: Readonly<Record<string, string>>
  /** Names of what the owner, or a script, fills in. */
  readonly fields: readonly string[]
  /** What a script derives the login value with; the form then has no passphrase of its own. @see docs/spec/login.md 3.1 */
  readonly derivation?: { readonly salt: string; readonly iterations: number }
}

/** The pages that a front end of the host may want as data, with their models. */
export interface FormPages {
  readonly login: LoginPageModel
  readonly passcode: PasscodePageModel
  readonly 'choose-passphrase': ChoosePassphrasePageModel
  readonly renew: RenewPageModel
  readonly reset: ResetPageModel
  readonly confirm: ConfirmPageModel
  readonly consent: ConsentPageModel
  readonly assistant: AssistantPageModel
}

type FormsOf = {
  readonly [View in keyof FormPages]: (model: FormPages[View]) => readonly PageForm[]
}

const FORMS: FormsOf = {
  login: (model) => [
    {
      ...formTo('/auth/login', model, {
        redirect: model.redirect,
        'trusted-device-token': '',
        email_verified_code: model.emailVerifiedCode,
        ...(model.isImport ? { passphrase_raw: '' } : {}),
      }),
      fields: ['passphrase', ...(model.offersLongRun ? ['long-run-session'] : [])],
      ...derivationOf(model),
    },
    ...(model.offersMagicLink
      ? [formTo('/auth/magic_link', model, { redirect: model.redirect })]
      : []),
  ],
  passcode: (model) => [
    {
      ...formTo('/auth/twofactor', model, {
        'two-factor-token': model.token,
        ...(model.factors.includes('passkey') ? { 'two-factor-assertion': '' } : {}),
      }),
      fields: [
        ...(model.factors.some((kind) => kind !== 'passkey') ? ['two-factor-passcode'] : []),
        ...(model.offersTrust ? ['two-factor-generate-trusted-device-token'] : []),
      ],
    },
    ...(model.factors.includes('mail')
      ? [formTo('/auth/twofactor/resend', model, { 'two-factor-token': model.token })]
      : []),
  ],
  'choose-passphrase': (model) => [
    {
      ...formTo('/settings/passphrase', model, {
        register_token: model.registerToken,
        redirection: model.redirection,
        iterations: '',
      }),
      fields: ['passphrase', 'hint'],
      ...derivationOf(model),
    },
  ],
  renew: (model) => [
    {
      ...formTo('/auth/passphrase_renew', model, {
        passphrase_reset_token: model.token,
        from: model.from,
        iterations: '',
      }),
      fields: ['passphrase', 'hint'],
      ...derivationOf(model),
    },
  ],
  reset: (model) => [
    formTo('/auth/hint', model, { redirect: model.redirect }),
    formTo('/auth/passphrase_reset', model, { redirect: model.redirect, from: model.from }),
  ],
  confirm(model) {
    const { state, redirect } = model
    if (model.mailsCodeTo !== undefined)
      return [formTo('/auth/confirm', model, { state, redirect, way: 'mail' })]
    const required = model.requiresPassphrase ? { require: 'passphrase' } : {}
    const hidden = { state, redirect, ...required, 'trusted-device-token': '' }
    return [
      {
        ...formTo('/auth/confirm', model, hidden),
        fields: ['passphrase'],
        ...derivationOf(model),
      },
    ]
  },
  consent: (model) => [consentForm(model)],
  assistant: (model) => [consentForm(model)],
}

/** The forms of a page; undefined where it is none that is known as data. */
export function formsOf<View extends keyof FormPages>(
  view: View,
  model: FormPages[View],
): readonly PageForm[] {
  return FORMS[view](model)
}

/** Whether a page is known as data. */
export function isFormPage(view: ViewName): view is keyof FormPages & ViewName {
  return Object.hasOwn(FORMS, view)
}

function formTo(
  action: string,
  { csrfToken }: { readonly csrfToken: string },
  hidden: Readonly<Record<string, string>>,
): PageForm {
  return { action, method: 'post', hidden: { csrf_token: csrfToken, ...hidden }, fields: [] }
}

function derivationOf({
  salt,
  iterations,
}: {
  readonly salt: string
  readonly iterations: number
}): Pick<PageForm, 'derivation'> {
  return { derivation: { salt, iterations } }
}

function consentForm(model: ConsentPageModel | AssistantPageModel): PageForm {
  const { view } = model
  const isOpen = view.permissionChoice === 'open'
  return {
    ...formTo('/auth/authorize', model, view.fields),
    fields: [
      ...(isOpen ? ['choice', ...view.permissions.map((_, place) => `permission-${place}`)] : []),
      ...(view.durations.length > 0 ? ['duration'] : []),
    ],
  }
}
