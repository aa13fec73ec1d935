import type { BrowserClient, BrowserResponse, Page } from '@svc/testkit'
import { type Answer, confirmedFor, type OwnerAt } from './factor-flows.ts'
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
  type Tampering,
} from './software-authenticator.ts'
import type { UiServer } from './ui-server.ts'

/** Confirms and opens the page on which passkeys are made. */
export async function passkeyPage(server: UiServer, owner: OwnerAt): Promise<BrowserResponse> {
  const { browser } = owner
  const fields = await confirmedFor(server, owner, `${browser.base}/auth/passkey`)
  const query = new URLSearchParams({
    code: fields.confirmation_code,
    state: fields.confirmation_state,
  })
  return browser.get(`/auth/passkey?${query}`)
}

/** What the page's script hands to the browser. */
export function optionsOf(page: Page): Readonly<Record<string, unknown>> {
  return JSON.parse(page.attribute('data-options') ?? '{}') as Record<string, unknown>
}

/** Makes a passkey on the page. */
export async function enablePasskey(
  server: UiServer,
  owner: OwnerAt,
  device: SoftwareAuthenticator = softwareAuthenticator(owner.browser.base),
  tampering?: Tampering,
): Promise<SoftwareAuthenticator> {
  const page = (await passkeyPage(server, owner)).page()
  const credential = device.create(optionsOf(page), tampering)
  const form = page.form('/auth/passkey')
  const answer = await owner.browser.submit(form, { credential, label: 'Key' })
  if (answer.status !== 302) throw new Error(`no passkey: ${answer.status}`)
  return device
}

/** Answers a second step with a passkey, as the page's script does. */
export function assertion(
  server: UiServer,
  device: SoftwareAuthenticator,
  tampering?: Tampering,
): Answer {
  return async (token) => {
    const page = await server.browser().get(`/auth/twofactor?two_factor_token=${token}`)
    return { 'two-factor-assertion': device.get(optionsOf(page.page()), tampering) }
  }
}

const JSON_ONLY = { accept: 'application/json' }

/** What the log-in page asks before a passkey answers. */
export async function loginOptions(
  browser: BrowserClient,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await browser.post('/auth/login/passkey/options', {}, { headers: JSON_ONLY })
  if (answer.status !== 200) throw new Error(`no options: ${answer.status}`)
  return answer.json<Record<string, unknown>>()
}

/** Logs in by a passkey, as the page's script does. */
export async function passkeyLogin(
  browser: BrowserClient,
  device: SoftwareAuthenticator,
  {
    tampering,
    ...fields
  }: { readonly tampering?: Tampering } & Readonly<Record<string, unknown>> = {},
): Promise<BrowserResponse> {
  const credential = device.get(await loginOptions(browser), tampering)
  return postCredential(browser, credential, fields as Record<string, string>)
}

export function postCredential(
  browser: BrowserClient,
  credential: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<BrowserResponse> {
  const body = { credential, ...fields }
  return browser.post('/auth/login/passkey', body, { headers: JSON_ONLY })
}
