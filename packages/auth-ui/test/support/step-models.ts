import type {
  ConfirmPageModel,
  FormPageModel,
  MagicLinkOpenPageModel,
  MagicLinkPassphrasePageModel,
  PasscodePageModel,
  PasskeyPageModel,
  RenewPageModel,
  ResetPageModel,
} from '../../src/pages/page-models.ts'

/** What every sample with a form has in common. */
export function formPage(): FormPageModel {
  return { csrfToken: 'c'.repeat(32), formActionSources: ['http://home.alice.localhost:8080'] }
}

const NOW = 1_700_000_000_000
const DERIVATION = { salt: 'me@alice.example.com', iterations: 50_000 } as const

/** A second step that takes a mailed code. */
export const PASSCODE: PasscodePageModel = {
  ...formPage(),
  token: 't'.repeat(96),
  purpose: 'login',
  factors: ['mail'],
  offersTrust: true,
  expiresAt: NOW + 5 * 60_000,
  now: NOW,
  restartHref: '/auth/login?redirect=drive%2F',
}

/** As `navigator.credentials.get` wants it. */
export const REQUEST_OPTIONS: Readonly<Record<string, unknown>> = {
  challenge: 'Y2hhbGxlbmdlLWNoYWxsZW5nZS1jaGFsbGVuZ2UtMTI',
  rpId: 'alice.localhost',
  allowCredentials: [{ id: 'AAECAwQFBgcICQoLDA0ODw', type: 'public-key' }],
  userVerification: 'preferred',
  timeout: 60_000,
}

/** As `navigator.credentials.create` wants it. */
export const CREATION_OPTIONS: Readonly<Record<string, unknown>> = {
  challenge: 'Y2hhbGxlbmdlLWNoYWxsZW5nZS1jaGFsbGVuZ2UtMTI',
  rp: { id: 'alice.localhost', name: 'Alice Martin' },
  user: { id: 'YWxpY2U', name: 'alice.example.com', displayName: 'Alice Martin' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  timeout: 60_000,
}

export const MAGIC_OPEN: MagicLinkOpenPageModel = {
  ...formPage(),
  code: 'm'.repeat(32),
  isElsewhere: false,
  redirect: '',
}

export const MAGIC_PASSPHRASE: MagicLinkPassphrasePageModel = {
  ...formPage(),
  ...DERIVATION,
  magicCode: 'm'.repeat(32),
  redirect: 'drive/#/folder/7',
}

export const RESET: ResetPageModel = {
  ...formPage(),
  redirect: '',
  from: '',
  backHref: '/auth/login',
  losesVault: false,
}

export const RENEW: RenewPageModel = {
  ...formPage(),
  ...DERIVATION,
  iterations: 650_000,
  token: '0123456789abcdef0123456789abcdef',
  from: '',
  losesVault: false,
  hint: '',
}

export const CONFIRM: ConfirmPageModel = {
  ...formPage(),
  ...DERIVATION,
  state: 's',
  redirect: 'http://home.alice.localhost:8080/#/send',
  cancelHref: 'http://home.alice.localhost:8080/#/send',
  requiresPassphrase: false,
  passkeyOptions: REQUEST_OPTIONS,
}

export const PASSKEY: PasskeyPageModel = {
  ...formPage(),
  options: CREATION_OPTIONS,
  confirmationCode: 'f'.repeat(32),
  confirmationState: 's',
  label: 'Firefox, Linux',
  backHref: '/auth/login',
}
