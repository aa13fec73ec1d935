import { type BrowserClient, type BrowserResponse, relyingParty, until } from '@svc/testkit'
import { expect } from 'chai'
import { createInstance } from '../../src/create-instance.ts'
import { authenticatorApp } from './authenticators.ts'
import type { AccountHost } from './account-host.ts'
import { plantSession } from './owner-parts.ts'
import type { RecordObserver } from './record-observer.ts'

const DOMAIN = 'owner.example.com'
const ORIGIN = `https://${DOMAIN}`
/** As a browser derives it; the server takes any. */
const LOGIN_VALUE = Buffer.alloc(32, 7).toString('base64')
const JSON_ONLY = { accept: 'application/json' }

/** An owner with a passphrase, on the host whose records are looked at. */
interface Owner {
  readonly host: AccountHost
  readonly seen: RecordObserver
  /** Knows nothing yet. */
  visitor(): Promise<BrowserClient>
  admin(method: string, path: string, body?: unknown): Promise<Response>
  /** Calls as the settings app. */
  settings(method: string, path: string, body?: unknown): Promise<BrowserResponse>
}

/** Has an owner of their own do what leaves records: logins, factors, codes, clients, offers. */
export async function visitEveryPart(host: AccountHost, seen: RecordObserver): Promise<void> {
  const owner = await onboard(host, seen)
  await logIn(await owner.visitor())
  await useCodes(owner)
  await protect(owner)
  await connectClients(owner)
  await beOffered(owner)
  await beTold(owner)
  await operate(owner)
}

async function onboard(host: AccountHost, seen: RecordObserver): Promise<Owner> {
  const { app } = host.host
  await createInstance(app, { domain: DOMAIN, email: 'owner@mail.example', publicName: 'Owner' })
  const link = await host.admin('POST', `/instances/${DOMAIN}/onboarding-link`)
  const { onboardingUrl } = (await link.json()) as { onboardingUrl: string }
  const visitor = (): Promise<BrowserClient> => host.browser(ORIGIN, { anonymous: true })
  const token = new URL(onboardingUrl).searchParams.get('registerToken') ?? ''
  const form = { register_token: token, passphrase: LOGIN_VALUE, iterations: '650000' }
  const answer = await (await visitor()).post('/settings/passphrase', form, { headers: JSON_ONLY })
  expect(answer.status, answer.text).to.equal(200)
  const admin = (method: string, path: string, body?: unknown): Promise<Response> =>
    host.admin(method, `/instances/${DOMAIN}${path}`, body)
  const made = await admin('POST', '/app-tokens', { slug: 'settings' })
  const given = (await made.json()) as { token: string; cookie: string }
  const browser = await visitor()
  browser.plantCookie(`${given.cookie}; Path=/; Domain=${DOMAIN}; Secure`)
  return {
    host,
    seen,
    visitor,
    admin,
    settings: (method, path, body) =>
      browser.request(method, path, {
        from: `https://settings.${DOMAIN}`,
        headers: {
          ...JSON_ONLY,
          authorization: `Bearer ${given.token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  }
}

async function logIn(browser: BrowserClient): Promise<BrowserResponse> {
  const answer = await browser.post(
    '/auth/login',
    { passphrase: LOGIN_VALUE },
    { headers: JSON_ONLY },
  )
  expect(answer.status, answer.text).to.equal(200)
  return answer
}

/** Codes that the host makes for its own ways in. */
async function useCodes({ host }: Owner): Promise<void> {
  const { oauth, ui } = host.host.app
  const instance = await oauth.instances.byHost(DOMAIN)
  if (instance === undefined) throw new Error('the instance was just made')
  await ui.owners.createSessionCode(instance)
  await ui.owners.setMagicLink(instance, true)
  await ui.owners.createMagicLinkCode(instance)
  await ui.owners.createEmailVerifiedCode(instance)
}

/** Begins every factor and switches one on; then logs in with a recovery code in a browser that is trusted. */
async function protect(owner: Owner): Promise<void> {
  const fields = await confirm(owner, 'settings/#/factors')
  const mail = await owner.settings('PUT', '/settings/factors/mail', fields)
  expect(mail.status, mail.text).to.be.within(200, 204)
  const begun = await owner.settings('POST', '/settings/factors/totp', fields)
  expect(begun.status, begun.text).to.equal(200)
  const nextCode = authenticatorApp(begun.json<{ secret: string }>().secret)
  const shown = await owner.settings('PUT', '/settings/factors/totp', { code: await nextCode() })
  const [code = '', another = ''] = shown.json<{ codes: readonly string[] }>().codes
  const kept = await owner.settings('PUT', '/settings/factors/totp', { kept: true })
  expect(kept.status, kept.text).to.equal(204)

  const browser = await owner.visitor()
  const proof = await confirm(owner, `${ORIGIN}/auth/passkey`, { browser, code })
  const query = new URLSearchParams({
    code: proof.confirmation_code,
    state: proof.confirmation_state,
  })
  const page = await browser.get(`/auth/passkey?${query}`)
  expect(page.status, page.text).to.equal(200)

  await passStep2(await owner.visitor(), another)
}

/** Logs in through the second step; the browser is trusted from then on. */
async function passStep2(browser: BrowserClient, code: string): Promise<BrowserResponse> {
  const { two_factor_token: token } = (await logIn(browser)).json<Record<string, string>>()
  const form = {
    'two-factor-token': token,
    'two-factor-passcode': code,
    'two-factor-generate-trusted-device-token': 'true',
  }
  const answer = await browser.post('/auth/twofactor', form, { headers: JSON_ONLY })
  expect(answer.status, answer.text).to.equal(200)
  return answer
}

/** Confirms in a session of the operator's making; with a code where there is a second step. */
async function confirm(
  { host, visitor }: Owner,
  redirect: string,
  second?: { readonly browser: BrowserClient; readonly code: string },
): Promise<{ confirmation_code: string; confirmation_state: string }> {
  const instance = await host.host.app.oauth.instances.byHost(DOMAIN)
  if (instance === undefined) throw new Error('the instance is there')
  const browser = second?.browser ?? (await visitor())
  await plantSession(host.host, instance, browser)
  const form = { passphrase: LOGIN_VALUE, redirect, state: 'a state' }
  let answer = await browser.post('/auth/confirm', form, { headers: JSON_ONLY })
  const { two_factor_token: token } = answer.json<Record<string, string>>()
  if (token !== undefined) {
    const step = { 'two-factor-token': token, 'two-factor-passcode': second?.code ?? '' }
    answer = await browser.post('/auth/twofactor', step, { headers: JSON_ONLY })
  }
  expect(answer.status, answer.text).to.equal(200)
  const { searchParams } = new URL(answer.json<{ redirect: string }>().redirect)
  return {
    confirmation_code: searchParams.get('code') ?? '',
    confirmation_state: searchParams.get('state') ?? '',
  }
}

/** A client that asks for a challenge, one that wants everything, and a limit of clients. */
async function connectClients({ host }: Owner): Promise<void> {
  const { instance } = host
  await host.adminJson('PATCH', '', { oauthClientsMax: 50 })
  // Only what owners have in their hands counts.
  const { party, token: access } = await host.connect('io.svc.contacts:GET', {
    client_kind: 'mobile',
  })
  const id = encodeURIComponent(party.client.client_id)
  const anybody = await host.browser(undefined, { anonymous: true })
  const challenge = await anybody.request('POST', `/auth/clients/${id}/challenge`, {
    credentials: false,
    headers: { authorization: `Bearer ${String(party.client['registration_access_token'])}` },
  })
  expect(challenge.status, challenge.text).to.equal(201)

  const everything = relyingParty({ issuer: instance.origin, port: host.host.port })
  const { client_id: wanting } = await everything.register()
  const { url } = await everything.authorize({ scope: '*' })
  const page = await (await host.browser()).get(url)
  const token = /name="(?:confirm[-_]|flagship[-_])?token"\s+value="([^"]+)"/.exec(page.text)?.[1]
  expect(page.text).to.include('token')
  const tried = await anybody.post(
    `${instance.origin}/auth/clients/${encodeURIComponent(wanting)}/flagship`,
    { token: token ?? 'none', code: '000000' },
    { headers: JSON_ONLY },
  )
  expect(tried.status, page.text).to.be.within(400, 401)

  const { client_id, client_secret } = party.client
  const given = { client_id, client_secret: String(client_secret), token: access }
  const ended = await anybody.post(`${instance.origin}/auth/revoke`, given)
  expect(ended.status, ended.text).to.equal(200)
}

/** Another owner of the host offers a document. */
async function beOffered({ host }: Owner): Promise<void> {
  const { token } = await host.connect('io.svc.files')
  const made = await host.call(token, 'PUT', '/data/io.svc.files/small', { name: 'Holidays' })
  expect(made.status, made.text).to.equal(201)
  const offer = { to: DOMAIN, type: 'io.svc.files', ids: ['small'], description: 'Photos' }
  const answer = await host.call(token, 'POST', '/sharings', offer)
  expect(answer.status, answer.text).to.equal(201)
}

/** Texts, choices of what is told, and a space that is full. */
async function beTold({ admin, settings, seen, host }: Owner): Promise<void> {
  await admin('PATCH', '', { phone: '+33 6 12 34 56 78' })
  const notification = { title: 'Down at 22:00', message: 'Hello', preferred_channels: ['sms'] }
  const sent = await admin('POST', '/notifications', { notification })
  expect(sent.status, await sent.clone().text()).to.equal(201)
  const attributes = { quiet_hours: { start: '22:00', end: '07:00' } }
  const chosen = await settings('PATCH', '/notifications/preferences', { data: { attributes } })
  expect(chosen.status, chosen.text).to.equal(200)
  await until(() => seen.kinds.has('dev-outbox-entry'))
  await host.adminJson('PATCH', '', { diskQuota: 40_960 })
  const { token } = await host.connect('io.svc.contacts')
  await host.call(token, 'POST', '/data/io.svc.contacts', { text: 'x'.repeat(30_000) })
  await until(() => seen.kinds.has('quota-notice'))
  await host.adminJson('PATCH', '', { diskQuota: null })
}

/** What operators leave behind. */
async function operate({ host, seen }: Owner): Promise<void> {
  expect((await host.admin('POST', '/probes')).status).to.equal(201)
  expect((await host.admin('POST', '/backups/verified')).status).to.equal(204)
  expect((await host.admin('POST', '/keys/rotate', {})).status).to.equal(202)
  await until(() => seen.kinds.has('work'))
}
