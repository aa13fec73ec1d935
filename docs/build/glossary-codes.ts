import { DEFAULT_LIFETIMES as OWNER } from '../../packages/auth-ui/src/lifetimes.ts'
import {
  CHALLENGE_MS,
  DEFAULT_LIFETIMES as OAUTH,
  FLAGSHIP_CODE_MS,
} from '../../packages/oauth-core/src/lifetimes.ts'
import { durationText } from './durations.ts'

/** A code of the interface, or what is easily taken for one. */
export interface GlossaryCode {
  /** As pages write it. */
  readonly name: string
  /** In requests, answers and addresses. */
  readonly wire: string
  readonly form: string
  readonly life: string
  readonly goodFor: string
  /** Rows that make it, such as `POST /auth/session_code`; else who does. */
  readonly makes: readonly string[]
  /** Rows that take it. */
  readonly takes: readonly string[]
}

const ALPHANUMERIC = '32 letters and digits'
const DIGITS = '6 digits'

/** The seven kinds of codes, then what else is typed, followed or handed over. */
export const GLOSSARY_CODES: readonly GlossaryCode[] = [
  {
    name: 'authorization code',
    wire: '`code`, `access_code`',
    form: 'opaque, at least 128 bits',
    life: durationText(OAUTH.authorizationCodeMs),
    goodFor: 'once, by its client, for tokens',
    makes: ['POST /auth/authorize'],
    takes: ['POST /auth/access_token'],
  },
  {
    name: 'session code',
    wire: '`session_code` (kind open)',
    form: ALPHANUMERIC,
    life: durationText(OWNER.openCode),
    goodFor: 'once, a session in a browser',
    makes: [
      'POST /auth/session_code',
      'POST /auth/login/flagship',
      'POST /auth/magic_link/flagship',
    ],
    takes: ['any page of the instance or of an app'],
  },
  {
    name: 'transfer code',
    wire: '`session_code` (kind transfer)',
    form: ALPHANUMERIC,
    life: durationText(OWNER.transferCode),
    goodFor: 'once, the cookie of one app host',
    makes: ['GET /auth/login', 'POST /auth/login', 'POST /auth/twofactor'],
    takes: ['any page of that app'],
  },
  {
    name: 'magic code',
    wire: '`code`, `magic_code`',
    form: ALPHANUMERIC,
    life: durationText(OWNER.magicCode),
    goodFor: 'once, a login by mail',
    makes: ['POST /auth/magic_link'],
    takes: [
      'GET /auth/magic_link',
      'POST /auth/magic_link/open',
      'POST /auth/magic_link/twofactor',
      'POST /auth/magic_link/flagship',
    ],
  },
  {
    name: 'email-verified code',
    wire: '`email_verified_code`',
    form: ALPHANUMERIC,
    life: durationText(OWNER.emailVerifiedCode),
    goodFor: 'once, instead of the mailed second factor',
    makes: ['the host: `ui.owners.createEmailVerifiedCode()`, `svc email-verified-code`'],
    takes: ['POST /auth/login', 'POST /auth/login/flagship'],
  },
  {
    name: 'flagship code',
    wire: '`code` with `token`',
    form: DIGITS,
    life: durationText(FLAGSHIP_CODE_MS),
    goodFor: 'once, certifies a client',
    makes: ['GET /auth/authorize'],
    takes: ['POST /auth/clients/:clientId/flagship'],
  },
  {
    name: 'confirmation code',
    wire: '`code` with `state`',
    form: '32 hexadecimal characters',
    life: durationText(OWNER.confirmCode),
    goodFor: 'may be asked repeatedly: did the owner confirm',
    makes: ['POST /auth/confirm'],
    takes: ['GET /auth/confirm/:code'],
  },
  {
    name: 'passcode',
    wire: '`two-factor-passcode`, `two_factor_passcode`',
    form: DIGITS,
    life: `${durationText(OWNER.twoFactor)}; an authenticator app's: its time step`,
    goodFor: 'once, the second step of a login',
    makes: ['POST /auth/login', 'POST /auth/twofactor/resend', 'an authenticator app'],
    takes: ['POST /auth/twofactor', 'POST /auth/login/flagship', 'PUT /settings/passphrase'],
  },
  {
    name: 'activation code',
    wire: '`code`, `two_factor_activation_code`',
    form: DIGITS,
    life: durationText(OWNER.activationCode),
    goodFor: 'once, turns mailed passcodes on',
    makes: ['PUT /settings/factors/mail', 'PUT /settings/instance/auth_mode'],
    takes: ['PUT /settings/factors/mail', 'PUT /settings/instance/auth_mode'],
  },
  {
    name: 'recovery code',
    wire: '`two-factor-passcode`, `two_factor_passcode`',
    form: '10 letters and digits',
    life: 'until it is used, or ten new ones are made',
    goodFor: 'once, the second step instead of a passcode',
    makes: ['POST /settings/factors/recovery_codes', 'PUT /settings/factors/totp'],
    takes: ['POST /auth/twofactor', 'POST /auth/login/flagship'],
  },
  {
    name: 'nonce',
    wire: '`nonce`, `challenge`',
    form: '36 letters and digits',
    life: durationText(CHALLENGE_MS),
    goodFor: 'one try of one client to be certified by its platform',
    makes: ['POST /auth/clients/:clientId/challenge'],
    takes: ['POST /auth/clients/:clientId/attestation'],
  },
  {
    name: 'register token',
    wire: '`registerToken`, `register_token`',
    form: '32 hexadecimal characters',
    life: 'until the owner is there; the three latest are good',
    goodFor: 'once, the first passphrase',
    makes: ['POST /auth/onboarding/resend', 'the host: `ui.owners.createOnboardingUrl()`'],
    takes: [
      'GET /auth/passphrase',
      'POST /settings/passphrase',
      'POST /settings/passphrase/flagship',
    ],
  },
  {
    name: 'reset token',
    wire: '`token`, `passphrase_reset_token`',
    form: '32 hexadecimal characters',
    life: `${durationText(OWNER.resetToken)}, one at a time`,
    goodFor: 'once, a new passphrase',
    makes: ['POST /auth/passphrase_reset', 'POST /auth/email/undo'],
    takes: ['GET /auth/passphrase_renew', 'POST /auth/passphrase_renew'],
  },
]
