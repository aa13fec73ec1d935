import type { RouteRow } from '@svc/platform'
import type { Callers } from '../web/caller.ts'
import type { OwnerMailHandlers } from './owner-mails.ts'
import type { RenewHandlers } from './reset/renew.ts'
import type { RequestResetHandlers } from './reset/request-reset.ts'
import {
  HINT_FORM_SCHEMA,
  RENEW_SCHEMA,
  RESEND_SCHEMA,
  RESET_SCHEMA,
} from './reset/reset.schema.ts'
import type { HintSettings } from './settings/hint.ts'
import {
  CHANGE_PASSPHRASE_SCHEMA,
  CHECK_PASSPHRASE_SCHEMA,
  HINT_SCHEMA,
} from './settings/passphrase.schema.ts'

/** What the rows are made of. */
export interface PassphraseHandlers {
  readonly reset: RequestResetHandlers
  readonly renew: RenewHandlers
  readonly ownerMails: OwnerMailHandlers
  readonly putPassphrase: RouteRow['handler']
  readonly checkPassphrase: RouteRow['handler']
  readonly hintSettings: HintSettings
  readonly callers: Callers
  readonly namespace: string
}

/** Endpoints about a passphrase that exists: ways back to one, and changes of it. */
export function passphraseRows(handlers: PassphraseHandlers): readonly RouteRow[] {
  return [...wayBackRows(handlers), ...settingsRows(handlers)]
}

function wayBackRows({ reset, renew, ownerMails }: PassphraseHandlers): readonly RouteRow[] {
  return [
    {
      method: 'POST',
      path: '/auth/hint',
      handler: ownerMails.mailHint,
      auth: ['none'],
      body: { types: ['form'], optional: true, schema: HINT_FORM_SCHEMA },
      statuses: [200, 400, 403, 413, 415],
      family: 'html',
      csrf: 'origin',
      limit: 'send-hint',
      summary: 'Mails the hint to the owner; the answer is the same whether there is one.',
      source: 'login.md 5.5',
    },
    {
      method: 'POST',
      path: '/auth/onboarding/resend',
      handler: ownerMails.resendOnboarding,
      auth: ['none'],
      body: { types: ['form'], optional: true, schema: RESEND_SCHEMA },
      statuses: [200, 400, 403, 413, 415],
      family: 'html',
      csrf: 'origin',
      limit: 'resend-onboarding-mail',
      summary: 'Mails a fresh onboarding link; the answer is the same whether one was needed.',
      source: 'login.md 5.5',
    },
    {
      method: 'GET',
      path: '/auth/passphrase_renew',
      handler: renew.show,
      auth: ['code'],
      statuses: [200, 400, 429],
      family: 'html',
      limit: 'reset-guess',
      summary: 'Shows the form in which the owner chooses a new passphrase.',
      source: 'login.md 5.5',
    },
    {
      method: 'POST',
      path: '/auth/passphrase_renew',
      handler: renew.submit,
      auth: ['code'],
      body: { types: ['form'], schema: RENEW_SCHEMA },
      statuses: [200, 302, 400, 403, 413, 415, 422, 429],
      family: 'html',
      csrf: 'token',
      limit: 'reset-guess',
      summary: 'Stores a new passphrase and ends everything that hangs on the old one.',
      source: 'login.md 5.5, 7.1',
    },
    {
      method: 'GET',
      path: '/auth/passphrase_reset',
      handler: reset.show,
      auth: ['none', 'session cookie'],
      statuses: [200, 302, 400, 412],
      family: 'html',
      summary: 'Shows the form that asks for a link to a new passphrase.',
      source: 'login.md 5.5',
    },
    {
      method: 'POST',
      path: '/auth/passphrase_reset',
      handler: reset.submit,
      auth: ['none', 'session cookie'],
      body: { types: ['form'], schema: RESET_SCHEMA },
      statuses: [200, 302, 400, 403, 413, 415],
      family: 'html',
      csrf: 'token',
      limit: 'passphrase-reset',
      summary: 'Mails a link to a new passphrase; the answer is the same whether one was sent.',
      source: 'login.md 5.5',
    },
  ]
}

function settingsRows(handlers: PassphraseHandlers): readonly RouteRow[] {
  const { putPassphrase, checkPassphrase, hintSettings, callers, namespace } = handlers
  const type = `${namespace}.settings`
  return [
    {
      method: 'GET',
      path: '/settings/hint',
      handler: hintSettings.show,
      auth: ['app token', 'access token'],
      statuses: [204, 400, 401, 403, 404],
      family: 'jsonapi',
      cors: 'app-origins',
      use: [callers.requirePermission('GET', type)],
      summary: 'Tells whether there is a hint, never its text.',
      source: 'login.md 7',
    },
    {
      method: 'PUT',
      path: '/settings/hint',
      handler: hintSettings.replace,
      auth: ['app token', 'access token'],
      body: { types: ['json'], schema: HINT_SCHEMA },
      statuses: [204, 400, 401, 403, 412, 413, 415, 422, 429],
      family: 'json',
      cors: 'app-origins',
      limit: 'hint-change',
      use: [callers.requirePermission('PUT', type)],
      summary: 'Replaces the hint.',
      source: 'login.md 7',
    },
    {
      method: 'PUT',
      path: '/settings/passphrase',
      handler: putPassphrase,
      auth: ['app token', 'access token'],
      body: { types: ['json'], schema: CHANGE_PASSPHRASE_SCHEMA },
      statuses: [200, 204, 400, 401, 403, 412, 413, 415, 422, 429],
      family: 'json',
      cors: 'app-origins',
      limit: 'auth',
      use: [callers.requirePermission('PUT', type)],
      summary: 'Replaces the passphrase; with a second factor in two calls.',
      source: 'login.md 7, 7.1',
    },
    {
      method: 'POST',
      path: '/settings/passphrase/check',
      handler: checkPassphrase,
      auth: ['app token', 'access token'],
      body: { types: ['json'], schema: CHECK_PASSPHRASE_SCHEMA },
      statuses: [204, 400, 401, 403, 412, 413, 415, 429],
      family: 'json',
      cors: 'app-origins',
      limit: 'auth',
      use: [callers.requirePermission('PUT', type)],
      summary: 'Tells whether a passphrase is the right one.',
      source: 'login.md 7',
    },
  ]
}
