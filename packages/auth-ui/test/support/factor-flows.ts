import type { NewInstance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { generateSync, ScureBase32Plugin } from 'otplib'
import type { OwnerEvent, SystemMail } from '../../src/ports.ts'
import { startWithSettings } from './settings-server.ts'
import {
  ALICE,
  createAlice,
  LOGIN_VALUE,
  logIn,
  type UiServer,
  type UiServerOptions,
} from './ui-server.ts'

export const EMAIL = 'alice@example.com'
const JSON_ONLY = { accept: 'application/json' }

type MailOf<Template extends SystemMail['template']> = Extract<SystemMail, { template: Template }>

/** The variables of the newest mail of a template. */
export function lastMail<Template extends SystemMail['template']>(
  server: UiServer,
  template: Template,
): MailOf<Template>['variables'] {
  const found = server.mails.findLast(
    (mail): mail is MailOf<Template> => mail.template === template,
  )
  if (found === undefined) throw new Error(`no mail ${template}`)
  // The compiler widens the member of a generic type to the union of all mails.
  return found.variables as MailOf<Template>['variables']
}

/** A server with an onboarded owner who has a mail address, and what apps were told. */
export interface FactorServer {
  readonly server: UiServer
  readonly events: readonly { readonly verb: string; readonly event: OwnerEvent }[]
}

export async function startFactors(
  options: UiServerOptions = {},
  instance: Partial<NewInstance> = { email: EMAIL },
): Promise<FactorServer> {
  const events: { verb: string; event: OwnerEvent }[] = []
  const server = await startWithSettings({
    ...options,
    ui: {
      events: {
        publish: async (_instance, verb, event) => {
          events.push({ verb, event })
        },
      },
      ...options.ui,
    },
  })
  await createAlice(server, instance)
  return { server, events }
}

/** Code and state of a confirmation, as bodies of the settings carry them. */
export interface ConfirmationFields {
  readonly confirmation_code: string
  readonly confirmation_state: string
}

/** What answers a second step, given its token. */
export type Answer = (token: string) => Record<string, string> | Promise<Record<string, string>>

/** A logged-in browser and the settings app in it. */
export interface OwnerAt {
  readonly browser: BrowserClient
  /** Calls an endpoint as the settings app does. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<BrowserResponse>
}

/** Logs in, through the second step if there is one. */
export async function ownerAt(
  server: UiServer,
  answer?: Answer,
  browser: BrowserClient = server.browser(),
): Promise<OwnerAt> {
  const first = await logIn(browser, {}, JSON_ONLY)
  const { two_factor_token: token } = first.json<{ two_factor_token?: string }>()
  if (token !== undefined) await pass(browser, token, answer ?? mailed(server))
  const settings = browser.base.replace('https://', 'https://settings.')
  const page = await browser.get(`${settings}/`)
  const bearer = page.json<Record<string, string>>()['data-svc-token']
  return {
    browser,
    call: (method, path, body, more = {}) => {
      const text = body === undefined ? '' : JSON.stringify(body)
      const headers =
        body === undefined
          ? {}
          : {
              'content-type': 'application/json',
              'content-length': String(Buffer.byteLength(text)),
            }
      return browser.request(method, path, {
        from: settings,
        headers: { authorization: `Bearer ${bearer}`, ...headers, ...more },
        ...(body === undefined ? {} : { body: text }),
      })
    },
  }
}

/** Whether this answer gets through the second step of a login. */
export async function logsIn(server: UiServer, answer: Answer): Promise<boolean> {
  const browser = server.browser()
  const first = await logIn(browser, {}, JSON_ONLY)
  const { two_factor_token: token = '' } = first.json<{ two_factor_token?: string }>()
  const { status } = await pass(browser, token, answer)
  const hasSession = browser.cookie('svcsessid') !== undefined
  if (hasSession !== (status === 200)) throw new Error(`status ${status}, session: ${hasSession}`)
  return hasSession
}

/** Answers with the passcode that was mailed. */
export function mailed(server: UiServer): Answer {
  return () => ({ 'two-factor-passcode': lastMail(server, 'two_factor').passcode })
}

function pass(browser: BrowserClient, token: string, answer: Answer): Promise<BrowserResponse> {
  return Promise.resolve(answer(token)).then((fields) =>
    browser.post(
      '/auth/twofactor',
      { 'two-factor-token': token, ...fields },
      { headers: JSON_ONLY },
    ),
  )
}

/** Posts the confirmation form. */
export function postConfirm(
  browser: BrowserClient,
  fields: Readonly<Record<string, string | undefined>> = {},
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<BrowserResponse> {
  return browser.post(
    '/auth/confirm',
    { passphrase: LOGIN_VALUE, state: 's', ...fields },
    { headers },
  )
}

/** Confirms to the settings app, through the second step if there is one. */
export async function confirmed(
  server: UiServer,
  answer?: Answer,
  redirect = 'settings/#/factors',
  browser: BrowserClient = server.browser(ALICE),
): Promise<ConfirmationFields> {
  const state = 'my state'
  let response = await postConfirm(browser, { redirect, state }, JSON_ONLY)
  const { two_factor_token: token } = response.json<{ two_factor_token?: string }>()
  if (token !== undefined) response = await pass(browser, token, answer ?? mailed(server))
  const target = new URL(response.json<{ redirect: string }>().redirect)
  return {
    confirmation_code: target.searchParams.get('code') ?? '',
    confirmation_state: target.searchParams.get('state') ?? '',
  }
}

/** Confirms to the settings app of this owner, in another browser. */
export function confirmedFor(
  server: UiServer,
  { browser }: OwnerAt,
  redirect?: string,
): Promise<ConfirmationFields> {
  return confirmed(server, undefined, redirect, browser.another())
}

/** Switches mailed passcodes on. */
export async function enableMail(server: UiServer, owner: OwnerAt): Promise<void> {
  const fields = await confirmedFor(server, owner)
  await owner.call('PUT', '/settings/factors/mail', fields)
  const { code } = lastMail(server, 'two_factor_mail_confirmation')
  const { status } = await owner.call('PUT', '/settings/factors/mail', { ...fields, code })
  if (status !== 204) throw new Error(`mail was not switched on: ${status}`)
}

/** The code an authenticator app shows now. */
export function totpCode(server: UiServer, secret: string): string {
  return generateSync({
    secret: new ScureBase32Plugin().decode(secret),
    algorithm: 'sha1',
    digits: 6,
    period: 30,
    epoch: Math.floor(server.clock.now() / 1000),
  })
}

/** Switches an authenticator app on, with recovery codes where it needs them. @returns its secret */
export async function enableTotp(
  server: UiServer,
  owner: OwnerAt,
  fields?: ConfirmationFields,
): Promise<string> {
  const begun = await owner.call(
    'POST',
    '/settings/factors/totp',
    fields ?? (await confirmedFor(server, owner)),
  )
  const { secret } = begun.json<{ secret: string }>()
  // At the start of a step, so that the test does not run into the next one.
  server.clock.advance(30_000 - (server.clock.now() % 30_000))
  const code = totpCode(server, secret)
  let { status } = await owner.call('PUT', '/settings/factors/totp', { code })
  if (status === 200) {
    ;({ status } = await owner.call('PUT', '/settings/factors/totp', { kept: true }))
  }
  if (status !== 204) throw new Error(`the authenticator was not switched on: ${status}`)
  return secret
}

/** What `GET /settings/factors` says. */
export interface ShownFactors {
  readonly auth_mode: string
  readonly mail: {
    readonly enabled: boolean
    readonly enabled_at?: string
    readonly address?: string
  }
  readonly totp: { readonly created_at: string; readonly last_used?: string } | null
  readonly passkeys: readonly { readonly id: string; readonly label: string }[]
  readonly recovery: { readonly left: number; readonly created_at: string } | null
}

export async function shownFactors(owner: OwnerAt): Promise<ShownFactors> {
  const answer = await owner.call('GET', '/settings/factors')
  return answer.json<{ data: { attributes: ShownFactors } }>().data.attributes
}
