import {
  type Client,
  type ClientId,
  CONSENT_DURATIONS,
  type ConsentView,
  type Permission,
} from '@svc/oauth-core'
import type { ConsentPageModel, LoginPageModel } from '../../src/pages/page-models.ts'
import type { PageRenderer } from '../../src/pages/page-renderer.ts'
import { ASSISTANTS } from './assistant-models.ts'
import { LIMIT, movePage, NOTICE, sharingPage } from './authorize-models.ts'
import {
  CONFIRM,
  formPage,
  MAGIC_OPEN,
  MAGIC_PASSPHRASE,
  PASSCODE,
  PASSKEY,
  RENEW,
  REQUEST_OPTIONS,
  RESET,
} from './step-models.ts'

type Show = (pages: PageRenderer, ctx: Parameters<PageRenderer['loginPage']>[0]) => Promise<void>

/** Every page in every state worth a look, by a name that goes into a file name. */
export const SAMPLES: Readonly<Record<string, Show>> = {
  login: (pages, ctx) => pages.loginPage(ctx, LOGIN),
  'login-wrong': (pages, ctx) =>
    pages.loginPage(ctx, { ...LOGIN, longRun: true, problem: { code: 'invalid_passphrase' } }),
  'login-limited': (pages, ctx) =>
    pages.loginPage(ctx, { ...LOGIN, problem: { code: 'rate_limited', retryAfterS: 840 } }),
  'login-import': (pages, ctx) => pages.loginPage(ctx, { ...LOGIN, isImport: true }),
  'login-authorize': (pages, ctx) => pages.loginPage(ctx, { ...LOGIN, offersLongRun: false }),
  'login-reset': (pages, ctx) =>
    pages.loginPage(ctx, { ...LOGIN, message: 'passphrase-reset-requested' }),
  'login-renewed': (pages, ctx) =>
    pages.loginPage(ctx, { ...LOGIN, message: 'passphrase-renewed' }),
  'login-magic': (pages, ctx) =>
    pages.loginPage(ctx, { ...LOGIN, offersMagicLink: true, redirect: 'drive/' }),
  passcode: (pages, ctx) => pages.passcodePage(ctx, PASSCODE),
  'passcode-wrong': (pages, ctx) =>
    pages.passcodePage(ctx, { ...PASSCODE, problem: { code: 'two_factor_invalid' } }),
  'passcode-all': (pages, ctx) =>
    pages.passcodePage(ctx, {
      ...PASSCODE,
      factors: ['passkey', 'totp', 'mail', 'recovery'],
      passkeyOptions: REQUEST_OPTIONS,
    }),
  'passcode-app': (pages, ctx) =>
    pages.passcodePage(ctx, { ...PASSCODE, factors: ['totp', 'recovery'] }),
  'passcode-passkey': (pages, ctx) =>
    pages.passcodePage(ctx, {
      ...PASSCODE,
      factors: ['passkey', 'recovery'],
      passkeyOptions: REQUEST_OPTIONS,
      purpose: 'confirm',
      offersTrust: false,
    }),
  'passcode-expired': (pages, ctx) =>
    pages.passcodePage(ctx, { ...PASSCODE, now: PASSCODE.expiresAt }),
  'magic-open': (pages, ctx) => pages.magicLinkOpenPage(ctx, MAGIC_OPEN),
  'magic-open-elsewhere': (pages, ctx) =>
    pages.magicLinkOpenPage(ctx, { ...MAGIC_OPEN, isElsewhere: true }),
  'magic-passphrase': (pages, ctx) => pages.magicLinkPassphrasePage(ctx, MAGIC_PASSPHRASE),
  'magic-passphrase-wrong': (pages, ctx) =>
    pages.magicLinkPassphrasePage(ctx, {
      ...MAGIC_PASSPHRASE,
      problem: { code: 'invalid_passphrase' },
    }),
  'mail-sent-magic': (pages, ctx) =>
    pages.mailSentPage(ctx, { mail: 'magic_link', minutes: 15, loginHref: '/auth/login' }),
  'mail-sent-hint': (pages, ctx) =>
    pages.mailSentPage(ctx, {
      mail: 'passphrase_hint',
      loginHref: '/auth/login',
      resetHref: '/auth/passphrase_reset',
    }),
  'mail-sent-onboarding': (pages, ctx) =>
    pages.mailSentPage(ctx, { mail: 'onboarding', loginHref: '/auth/login' }),
  reset: (pages, ctx) => pages.resetPage(ctx, RESET),
  'reset-vault': (pages, ctx) =>
    pages.resetPage(ctx, { ...RESET, from: 'settings', backHref: '/', losesVault: true }),
  renew: (pages, ctx) => pages.renewPage(ctx, RENEW),
  'renew-vault': (pages, ctx) =>
    pages.renewPage(ctx, { ...RENEW, losesVault: true, problem: { code: 'invalid_parameter' } }),
  'email-prove': (pages, ctx) =>
    pages.emailPage(ctx, {
      ...formPage(),
      kind: 'prove',
      token: 'f'.repeat(32),
      address: 'alice@new.example',
      oldAddress: 'alice@old.example',
    }),
  'email-undo': (pages, ctx) =>
    pages.emailPage(ctx, {
      ...formPage(),
      kind: 'undo',
      token: 'f'.repeat(32),
      address: 'alice@old.example',
    }),
  confirm: (pages, ctx) => pages.confirmPage(ctx, CONFIRM),
  'confirm-app': (pages, ctx) =>
    pages.confirmPage(ctx, {
      ...CONFIRM,
      askedBy: 'Bank transfers',
      problem: { code: 'invalid_passphrase' },
    }),
  'confirm-mail': (pages, ctx) =>
    pages.confirmPage(ctx, { ...CONFIRM, mailsCodeTo: 'alice@example.net' }),
  'confirm-rtl': (pages, ctx) => pages.confirmPage(ctx, { ...CONFIRM, askedBy: RTL_NAME }),
  passkey: (pages, ctx) => pages.passkeyPage(ctx, PASSKEY),
  'passkey-offer': (pages, ctx) =>
    pages.passkeyOfferPage(ctx, {
      ...formPage(),
      options: PASSKEY.options,
      label: 'Firefox, Android',
      redirect: '',
      continueHref: '/auth/passkey/offer?answered=1&redirect=',
    }),
  'confirm-passphrase': (pages, ctx) =>
    pages.confirmPage(ctx, { ...CONFIRM, requiresPassphrase: true }),
  'passkey-failed': (pages, ctx) =>
    pages.passkeyPage(ctx, { ...PASSKEY, problem: { code: 'passkey_failed' } }),
  activation: (pages, ctx) =>
    pages.activationPage(ctx, { ...formPage(), hasBadToken: false, canResend: false }),
  'activation-bad-token': (pages, ctx) =>
    pages.activationPage(ctx, { ...formPage(), hasBadToken: true, canResend: true }),
  choose: (pages, ctx) => pages.choosePassphrasePage(ctx, CHOOSE),
  'choose-bad-hint': (pages, ctx) =>
    pages.choosePassphrasePage(ctx, {
      ...CHOOSE,
      hint: 'the one about the horse',
      problem: { code: 'invalid_hint' },
    }),
  consent: (pages, ctx) => pages.consentPage(ctx, consentPage({})),
  'consent-app': (pages, ctx) =>
    pages.consentPage(
      ctx,
      consentPage({
        redirectUri: 'cozydrive://oauth_callback',
        cancelUrl: 'cozydrive://no',
        signs: { isSelfRegistered: true, isCertified: false, isNew: true, leavesTo: 'program' },
      }),
    ),
  'consent-more': (pages, ctx) =>
    pages.consentPage(
      ctx,
      consentPage({
        redirectUri: 'https://elsewhere.example.org/callback',
        allowedBefore: [0, 2],
        allowedAt: ALLOWED_AT,
        duration: '30d',
        signs: { isSelfRegistered: true, isCertified: false, isNew: false, leavesTo: 'site' },
      }),
    ),
  'consent-known': (pages, ctx) =>
    pages.consentPage(
      ctx,
      consentPage({
        allowedBefore: SOME.map((_, place) => place),
        allowedAt: ALLOWED_AT,
        duration: 'until_revoked',
        signs: { isSelfRegistered: true, isCertified: false, isNew: false },
      }),
    ),
  'consent-nothing': (pages, ctx) =>
    pages.consentPage(ctx, consentPage({ problem: 'nothing_chosen', duration: '1h' })),
  'consent-everything': (pages, ctx) =>
    pages.consentPage(
      ctx,
      consentPage({
        permissions: [MAXIMAL_RULE],
        permissionChoice: 'everything',
        signs: { isSelfRegistered: false, isCertified: true, isNew: true, leavesTo: 'program' },
        redirectUri: 'space://authorized',
        cancelUrl: 'space://no',
      }),
    ),
  'consent-linked': (pages, ctx) =>
    pages.consentPage(
      ctx,
      consentPage({
        linkedApp: { slug: 'drive', name: 'Drive', permissions: {}, routes: {} },
        permissionChoice: 'linked',
        signs: { isSelfRegistered: false, isCertified: true, isNew: true, leavesTo: 'program' },
        redirectUri: 'http://localhost:4000/callback',
      }),
    ),
  'consent-one': (pages, ctx) =>
    pages.consentPage(
      ctx,
      consentPage({
        permissions: [{ type: 'io.svc.calendar.todos', verbs: ['GET'] }],
        signs: { isSelfRegistered: true, isCertified: false, isNew: false },
      }),
    ),
  'consent-imitation': (pages, ctx) =>
    pages.consentPage(ctx, {
      ...consentPage({ client: client('Dr\u0456ve f\u043er Android') }),
      appNames: ['Home', 'Drive'],
    }),
  'consent-twelve': (pages, ctx) =>
    pages.consentPage(ctx, consentPage({ permissions: FORTY.slice(0, 12) })),
  'consent-forty': (pages, ctx) => pages.consentPage(ctx, consentPage({ permissions: FORTY })),
  'consent-long': (pages, ctx) =>
    pages.consentPage(ctx, consentPage({ permissions: FORTY, client: client(LONG_NAME) })),
  'consent-rtl': (pages, ctx) => pages.consentPage(ctx, consentPage({ client: client(RTL_NAME) })),
  ...Object.fromEntries(
    Object.entries(ASSISTANTS).map(([name, model]): [string, Show] => [
      name,
      (pages, ctx) => pages.assistantPage(ctx, model),
    ]),
  ),
  certify: (pages, ctx) =>
    pages.certifyPage(ctx, { ...CERTIFY, client: client('Drive for Android') }),
  'certify-rtl': (pages, ctx) => pages.certifyPage(ctx, { ...CERTIFY, client: client(RTL_NAME) }),
  'certify-none': (pages, ctx) =>
    pages.certifyPage(ctx, {
      client: client(LONG_NAME),
      endsInMs: 0,
      reloadHref: CERTIFY.reloadHref,
    }),
  limit: (pages, ctx) => pages.limitPage(ctx, LIMIT),
  'limit-none': (pages, ctx) => pages.limitPage(ctx, { ...LIMIT, count: 0, limit: 0 }),
  'limit-long': (pages, ctx) =>
    pages.limitPage(ctx, { ...LIMIT, name: LONG_NAME, count: 61, limit: 60, isPosted: true }),
  deprecated: (pages, ctx) =>
    pages.deprecatedPage(ctx, { name: 'Old Drive', storeUrl: 'market://details?id=org.new' }),
  notice: (pages, ctx) => pages.noticePage(ctx, NOTICE),
  'notice-said': (pages, ctx) =>
    pages.noticePage(ctx, { title: NOTICE.title, paragraphs: NOTICE.paragraphs }),
  move: (pages, ctx) => pages.movePage(ctx, movePage(client('Mover'))),
  'move-rtl': (pages, ctx) => pages.movePage(ctx, movePage(client(RTL_NAME), 'mover://done')),
  sharing: (pages, ctx) => pages.sharingPage(ctx, sharingPage()),
  'sharing-client': (pages, ctx) =>
    pages.sharingPage(
      ctx,
      sharingPage({
        sharer: { name: RTL_NAME, domain: 'bob.example.com' },
        permissions: FORTY,
        client: client(LONG_NAME),
        redirectUri: 'https://drive.example.com/oauth/callback',
      }),
    ),
  'out-of-band': (pages, ctx) =>
    pages.outOfBandPage(ctx, { code: 'Xb8s_93kdLq0-2mVnYw7RtZp', state: 'a&b<c>"d' }),
  'error-bad-request': (pages, ctx) =>
    failed(pages, ctx, 'invalid_request', 400, 'The state parameter is mandatory'),
  'error-pkce': (pages, ctx) =>
    failed(pages, ctx, 'invalid_request', 400, 'This app must use PKCE (S256)'),
  'error-target': (pages, ctx) =>
    failed(pages, ctx, 'invalid_target', 400, 'This app asks for something that is not here'),
  'error-internal': (pages, ctx) =>
    failed(pages, ctx, 'internal_error', 500, undefined, '6a3c0c52-4b0f-4b55-9d70-0f7f3f6f9a10'),
  'error-login-first': (pages, ctx) =>
    failed(pages, ctx, 'not_authenticated', 401, 'You must be authenticated'),
  'error-not-found': (pages, ctx) => failed(pages, ctx, 'not_found', 404, 'not found'),
  'error-bad-redirect': (pages, ctx) => failed(pages, ctx, 'bad_redirect', 400, 'bad url: scheme'),
  'error-link-used': (pages, ctx) =>
    failed(pages, ctx, 'invalid_token', 400, undefined, undefined, 'reset'),
  'error-magic-used': (pages, ctx) =>
    failed(pages, ctx, 'invalid_magic_code', 401, 'invalid magic code', undefined, 'login'),
  'error-step-expired': (pages, ctx) =>
    failed(pages, ctx, 'two_factor_expired', 401, 'expired', undefined, 'login'),
  'error-csrf': (pages, ctx) =>
    failed(pages, ctx, 'csrf_invalid', 403, 'invalid csrf token', undefined, 'retry'),
  'error-factor-needed': (pages, ctx) => failed(pages, ctx, 'factor_needed', 409),
  'error-moving': (pages, ctx) =>
    failed(pages, ctx, 'instance_moving', 503, undefined, 'a-request', 'retry'),
  'error-frozen': (pages, ctx) =>
    failed(pages, ctx, 'instance_frozen', 503, undefined, 'a-request', 'retry'),
  blocked: (pages, ctx) => failed(pages, ctx, 'blocked', 503, 'the instance is blocked'),
  'cookies-blocked': (pages, ctx) =>
    failed(pages, ctx, 'cookies_blocked', 400, 'cookies seem to be blocked'),
}

/** Names that have broken pages before: very long, right to left, with a direction override. */
export const LONG_NAME = 'Extraordinarily long name of an application that wants everything '
  .repeat(4)
  .slice(0, 200)
export const RTL_NAME = 'تطبيق الملفات \u202egnp.exe'

const MAXIMAL_RULE: Permission = { type: '*', verbs: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }

const FORTY: readonly Permission[] = [
  'files',
  'files.versions',
  'photos.albums',
  'notes',
  'contacts',
  'contacts.groups',
  'calendar.events',
  'calendar.todos',
  'bank.accounts',
  'bank.operations',
  'bank.recipients',
  'bills',
  'settings',
  'sessions.logins',
  'notifications',
  'identities',
  'apps',
  'konnectors',
  'accounts',
  'jobs',
  'triggers',
  'oauth.clients',
  'sharings',
  'permissions',
  'tags',
  'terms',
  'timeseries',
  'timeseries.geojson',
  'health',
  'dacc',
  'doctypes',
  'mails',
  'passwords',
  'remote.requests',
  'home.settings',
  'photos.settings',
  'bank.settings',
  'weather.stations',
  'quite.a.long.type.name.nobody.has.heard.of.before',
  'todos.lists',
].map(
  (name, at): Permission => ({
    type: `io.svc.${name}`,
    verbs:
      at % 3 === 0 ? ['GET'] : at % 3 === 1 ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : ['POST'],
  }),
)

const SOME: readonly Permission[] = [
  { type: 'io.svc.files', verbs: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
  { type: 'io.svc.photos.albums', verbs: ['GET', 'POST', 'PUT', 'PATCH'] },
  { type: 'io.svc.contacts', verbs: ['GET'] },
  { type: 'io.svc.bank.*', verbs: ['GET'] },
  { type: 'io.svc.jobs', verbs: ['POST'], values: ['sendmail'], selector: 'worker' },
  { type: 'io.svc.settings', verbs: ['GET'], values: ['io.svc.settings.instance'] },
  { type: 'com.example.recipes', verbs: ['GET', 'DELETE'] },
]

const LOGIN: LoginPageModel = {
  ...formPage(),
  salt: 'me@alice.example.com',
  iterations: 50_000,
  redirect: '',
  offersLongRun: true,
  longRun: false,
  isImport: false,
  emailVerifiedCode: '',
  offersPasskey: true,
  offersMagicLink: false,
}

const CHOOSE = {
  ...formPage(),
  salt: 'me@alice.example.com',
  iterations: 650_000,
  registerToken: '0123456789abcdef0123456789abcdef',
  redirection: '',
  hint: '',
}

const CERTIFY = {
  token: 't'.repeat(96),
  endsInMs: 300_000,
  reloadHref: '/auth/authorize?client_id=b1946ac92492d2347c6235b4d2611184&scope=*',
}

function client(name: string): Client {
  return {
    // A sample: the brand stands for the form, which this has.
    id: 'b1946ac92492d2347c6235b4d2611184' as ClientId,
    metadata: {
      redirect_uris: ['https://drive.example.com/oauth/callback'],
      client_name: name,
      software_id: 'com.example.drive',
      software_version: '3.2.1',
      client_uri: 'https://drive.example.com/',
      policy_uri: 'https://drive.example.com/privacy',
    },
    pending: true,
    flagship: false,
    certifiedFromStore: false,
    createdAt: 1_700_000_000_000,
    updatedAt: 1_700_000_000_000,
  }
}

const ALLOWED_AT = Date.UTC(2026, 10, 2, 9, 30)

function consentPage(view: Partial<ConsentView>): ConsentPageModel {
  const redirectUri = view.redirectUri ?? 'https://drive.example.com/oauth/callback'
  return {
    ...formPage(),
    view: {
      client: client('Drive for Android'),
      permissions: SOME,
      permissionChoice: 'open',
      allowedBefore: [],
      durations: CONSENT_DURATIONS,
      signs: { isSelfRegistered: true, isCertified: false, isNew: true },
      redirectUri,
      cancelUrl: `${redirectUri}?error=access_denied&state=s`,
      fields: {
        client_id: 'b1946ac92492d2347c6235b4d2611184',
        state: 's',
        redirect_uri: redirectUri,
        response_type: 'code',
      },
      ...view,
    },
  }
}

async function failed(
  pages: PageRenderer,
  ctx: Parameters<PageRenderer['errorPage']>[0],
  code: string,
  status: number,
  description?: string,
  requestId?: string,
  way: 'home' | 'login' | 'reset' | 'retry' = code === 'not_authenticated' ? 'login' : 'home',
): Promise<void> {
  ctx.status = status
  await pages.errorPage(ctx, {
    error: {
      code,
      status,
      expose: status < 500,
      ...(description === undefined ? {} : { description }),
    },
    ...(requestId === undefined ? {} : { requestId }),
    ...(way === 'home' ? {} : { next: { href: '/auth/login', label: way } }),
  })
}
