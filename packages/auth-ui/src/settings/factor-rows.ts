import type { BodyRule, RouteRow } from '@svc/platform'
import type { Callers } from '../web/caller.ts'
import type { MailSettings } from './factor-mail.ts'
import type { TotpSettings } from './factor-totp.ts'
import type { FactorSettings } from './factors.ts'
import {
  AUTH_MODE_SCHEMA,
  CONFIRMED_SCHEMA,
  MAIL_FACTOR_SCHEMA,
  TOTP_SCHEMA,
} from './factors.schema.ts'
import type { TrustedDeviceSettings } from './trusted-devices.ts'

/** What the rows are made of. */
export interface FactorHandlers {
  readonly factorSettings: FactorSettings
  readonly totpSettings: TotpSettings
  readonly mailSettings: MailSettings
  readonly trustedDeviceSettings: TrustedDeviceSettings
  readonly authMode: RouteRow['handler']
  readonly callers: Callers
}

type Varying = Pick<
  RouteRow,
  'method' | 'path' | 'handler' | 'body' | 'statuses' | 'limit' | 'summary' | 'source'
>

const CONFIRMED: BodyRule = { types: ['json'], optional: true, schema: CONFIRMED_SCHEMA }

/** The second factor and trusted browsers under `/settings`, for the settings app alone. */
export function factorRows(handlers: FactorHandlers): readonly RouteRow[] {
  const { factorSettings, totpSettings, mailSettings, trustedDeviceSettings } = handlers
  const requireSettingsApp = handlers.callers.requireSettingsApp()
  const rows: readonly Varying[] = [
    {
      method: 'GET',
      path: '/settings/factors',
      handler: factorSettings.show,
      statuses: [200, 400, 401, 403],
      summary: 'Shows which factors are on.',
      source: 'decision D63',
    },
    {
      method: 'PUT',
      path: '/settings/factors/mail',
      handler: mailSettings.put,
      body: { types: ['json'], optional: true, schema: MAIL_FACTOR_SCHEMA },
      statuses: [204, 400, 401, 403, 413, 415, 422, 429],
      limit: 'activation-code',
      summary: 'Mails a code; with that code switches passcodes by mail on.',
      source: 'login.md 3.4',
    },
    {
      method: 'DELETE',
      path: '/settings/factors/mail',
      handler: mailSettings.remove,
      body: CONFIRMED,
      statuses: [204, 400, 401, 403, 409, 413, 415],
      summary: 'Switches passcodes by mail off.',
      source: 'decision D63',
    },
    {
      method: 'DELETE',
      path: '/settings/factors/passkeys/:id',
      handler: factorSettings.removePasskey,
      body: CONFIRMED,
      statuses: [204, 400, 401, 403, 404, 413, 415],
      summary: 'Removes a passkey.',
      source: 'decision D63',
    },
    {
      method: 'POST',
      path: '/settings/factors/recovery_codes',
      handler: factorSettings.createRecoveryCodes,
      body: CONFIRMED,
      statuses: [200, 400, 401, 403, 409, 413, 415],
      summary: 'Makes ten recovery codes; earlier ones are dead.',
      source: 'decision D63',
    },
    {
      method: 'DELETE',
      path: '/settings/factors/recovery_codes',
      handler: factorSettings.removeRecoveryCodes,
      body: CONFIRMED,
      statuses: [204, 400, 401, 403, 409, 413, 415],
      summary: 'Removes the recovery codes.',
      source: 'decision D63',
    },
    {
      method: 'POST',
      path: '/settings/factors/totp',
      handler: totpSettings.begin,
      body: CONFIRMED,
      statuses: [200, 400, 401, 403, 413, 415],
      summary: 'Makes the secret of an authenticator app, not in use yet.',
      source: 'RFC 6238',
    },
    {
      method: 'PUT',
      path: '/settings/factors/totp',
      handler: totpSettings.finish,
      body: { types: ['json'], schema: TOTP_SCHEMA },
      statuses: [200, 204, 400, 401, 403, 404, 413, 415, 422],
      limit: 'totp-enrolment',
      summary:
        'Switches the authenticator app on with one of its codes; where nothing stands beside it, answers recovery codes first.',
      source: 'RFC 6238, decision D73',
    },
    {
      method: 'DELETE',
      path: '/settings/factors/totp',
      handler: totpSettings.remove,
      body: CONFIRMED,
      statuses: [204, 400, 401, 403, 404, 409, 413, 415],
      summary: 'Switches the authenticator app off.',
      source: 'decision D63',
    },
    {
      method: 'PUT',
      path: '/settings/instance/auth_mode',
      handler: handlers.authMode,
      body: { types: ['json'], schema: AUTH_MODE_SCHEMA },
      statuses: [200, 204, 400, 401, 403, 413, 415, 422, 429],
      limit: 'auth',
      summary: 'Switches mailed passcodes on, or every factor off.',
      source: 'login.md 7',
    },
    {
      method: 'GET',
      path: '/settings/trusted_devices',
      handler: trustedDeviceSettings.list,
      statuses: [200, 400, 401, 403],
      summary: 'Lists the browsers that skip the second factor.',
      source: 'login.md 7',
    },
    {
      method: 'DELETE',
      path: '/settings/trusted_devices/:id',
      handler: trustedDeviceSettings.remove,
      statuses: [204, 400, 401, 403, 404],
      summary: 'Trusts a browser no longer.',
      source: 'login.md 7',
    },
  ]
  return rows.map((row) => ({
    ...row,
    auth: ['settings app token'],
    family: 'jsonapi',
    cors: 'app-origins',
    use: [requireSettingsApp],
  }))
}
