import type { BrowserResponse, Page } from '@svc/testkit'
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
): Promise<SoftwareAuthenticator> {
  const page = (await passkeyPage(server, owner)).page()
  const credential = device.create(optionsOf(page))
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
