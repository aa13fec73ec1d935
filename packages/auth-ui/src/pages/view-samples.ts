import type { AssistantView, Client, ConsentView } from '@svc/oauth-core'
import type { FormPages } from './page-forms.ts'

const FORM = { csrfToken: 'sample-token', formActionSources: [] }
const DERIVATION = { salt: 'me@sample.example', iterations: 650_000 }
const FIELDS = {
  client_id: 'sample-client',
  state: 'sample-state',
  redirect_uri: 'https://client.example/callback',
  scope: 'io.svc.files:GET',
  response_type: 'code',
  consent: 'sample-seal',
}

const CLIENT: Client = {
  id: FIELDS.client_id as Client['id'],
  metadata: {
    redirect_uris: [FIELDS.redirect_uri],
    client_name: 'Sample',
    software_id: 'sample',
  },
  pending: true,
  flagship: false,
  certifiedFromStore: false,
  createdAt: 0,
  updatedAt: 0,
}

const CONSENT: ConsentView = {
  client: CLIENT,
  permissions: [{ type: 'io.svc.files', verbs: ['GET'] }],
  permissionChoice: 'open',
  allowedBefore: [],
  durations: ['1h', '1d', '30d', 'until_revoked'],
  signs: { isSelfRegistered: true, isCertified: false, isNew: true },
  redirectUri: FIELDS.redirect_uri,
  cancelUrl: 'https://client.example/callback?error=access_denied',
  fields: FIELDS,
  formActionSource: 'https://client.example',
}

const ASSISTANT: AssistantView = {
  ...CONSENT,
  durations: ['1h', '1d', '30d'],
  duration: '1d',
  resource: { path: '/mcp', name: 'Sample', scopes: ['io.svc.files:GET'], isOpen: true },
}

/** A model of each page with a form, as full as it can be: what a template leaves out of it is found. */
export const VIEW_SAMPLES: FormPages = {
  login: {
    ...FORM,
    ...DERIVATION,
    redirect: 'sample/',
    offersLongRun: true,
    longRun: false,
    isImport: true,
    emailVerifiedCode: 'sample-code',
    offersPasskey: true,
    offersMagicLink: true,
  },
  passcode: {
    ...FORM,
    token: 'sample-step',
    purpose: 'login',
    factors: ['totp', 'mail', 'recovery'],
    offersTrust: true,
    expiresAt: 300_000,
    now: 0,
    restartHref: '/auth/login',
  },
  'choose-passphrase': {
    ...FORM,
    ...DERIVATION,
    registerToken: 'sample-register',
    redirection: 'sample/',
    hint: '',
  },
  renew: { ...FORM, ...DERIVATION, token: 'sample-reset', from: '', losesVault: true, hint: '' },
  reset: { ...FORM, redirect: 'sample/', from: '', losesVault: true },
  confirm: {
    ...FORM,
    ...DERIVATION,
    state: 'sample-state',
    redirect: 'sample/',
    cancelHref: '/',
    requiresPassphrase: true,
    passkeyOptions: {},
  },
  consent: { ...FORM, view: CONSENT, appNames: [] },
  assistant: { ...FORM, view: ASSISTANT },
}
