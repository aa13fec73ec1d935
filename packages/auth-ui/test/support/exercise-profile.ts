import {
  confirmedFor,
  enableMail,
  enableTotp,
  lastMail,
  type OwnerAt,
  ownerAt,
  totpCode,
} from './factor-flows.ts'
import { createConfirmation } from '../../src/confirm/confirmation.ts'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { NUMBER, otherThan, PHONE, type PhoneHost } from './phone.ts'
import { ownerOf } from './second-step.ts'
import { enablePasskey } from './passkey-flows.ts'
import { createAlice, LOGIN_VALUE, logIn, type UiServer } from './ui-server.ts'

const DOMAIN = 'profile.example.com'
const JSON_ONLY = { accept: 'application/json' }
const EMAIL = '/settings/profile/email'
const PAGES = ['/auth/email', '/auth/email/undo']

/** Meets every status of the profile, and of what is held while a new mail address can be taken back. */
export async function exerciseProfile(server: UiServer, host: PhoneHost): Promise<void> {
  await createAlice(server, { domain: DOMAIN, email: `old@${DOMAIN}` })
  const browser = server.browser(`https://${DOMAIN}`)
  const owner = await ownerAt(server, undefined, browser)
  for (const path of ['profile', 'logins']) await owner.call('GET', `/settings/${path}`)
  await owner.call('POST', `${EMAIL}/resend`)
  await owner.call('DELETE', `${EMAIL}/pending`)
  await owner.call('PUT', EMAIL, { email: `new@${DOMAIN}` })
  await owner.call('PUT', '/settings/magic_link', { enabled: true })
  for (const path of PAGES) await browser.get(path)
  await owner.call('PATCH', '/settings/profile', { public_name: 'Alice', rev: 'old' })
  await owner.call('PATCH', '/settings/profile', { public_name: 'Alice' })
  await magicLinks(server)
  await phone(server, host, owner)
  await enableMail(server, owner)
  await enableTotp(server, owner)
  await enablePasskey(server, owner)
  await changes(server, owner)
  await held(server, owner)
  await undo(server, owner)
  await overLimit(server)
}

/** The owner of this one has no other way in. */
async function magicLinks(server: UiServer): Promise<void> {
  const domain = 'profile-links.example.com'
  const { instance } = await server.ui.owners.createInstance(
    { domain, email: `owner@${domain}` },
    undefined,
    { magicLink: true },
  )
  const browser = server.browser(`https://${domain}`)
  const { cookie } = await server.ui.owners.createSession(instance)
  browser.plantCookie(`${cookie.name}=${cookie.value}; Domain=${domain}; Path=/; Secure`)
  const page = await browser.get(`https://settings.${domain}/`)
  const token = page.json<Record<string, string>>()['data-svc-token']
  const owner = await ownerOf(server, instance)
  const state = 's'
  const code = await createConfirmation(
    { store: server.store, clock: server.clock, lifetimes: DEFAULT_LIFETIMES },
    instance,
    owner,
    { state, slug: 'settings' },
    [],
  )
  await browser.request('PUT', '/settings/magic_link', {
    from: `https://settings.${domain}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ confirmation_code: code, confirmation_state: state, enabled: false }),
  })
}

/** On the second day the limit of a minute is met first. */
async function phone(server: UiServer, host: PhoneHost, owner: OwnerAt): Promise<void> {
  const fields = await confirmedFor(server, owner)
  const put = (body: object): Promise<unknown> => owner.call('PUT', PHONE, { ...fields, ...body })
  host.faults.noGateway = true
  await put({ phone: NUMBER })
  delete host.faults.noGateway
  await put({})
  for (let count = 0; count < 4; count += 1) {
    await put({ phone: NUMBER })
    await put({ phone: NUMBER })
    server.clock.advance(60_001)
  }
  const code = host.texts.at(-1)?.code ?? ''
  await put({ code: otherThan(code) })
  await put({ code })
  await owner.call('DELETE', PHONE, {})
  await owner.call('DELETE', PHONE, fields)
}

async function changes(server: UiServer, owner: OwnerAt): Promise<void> {
  const { browser, call } = owner
  const fields = await confirmedFor(server, owner)
  await call('PUT', '/settings/magic_link', { ...fields, enabled: true })
  for (const name of ['one', 'two', 'new', 'four']) {
    await call('PUT', EMAIL, { ...fields, email: `${name}@${DOMAIN}` })
    await call('POST', `${EMAIL}/resend`)
  }
  await call('POST', `${EMAIL}/resend`)
  const { url } = lastMail(server, 'update_email')
  const token = new URL(url).searchParams.get('token') ?? ''
  await browser.another().get(url)
  const form = (await browser.get(url)).page().form('/auth/email')
  const csrf_token = browser.cookie('__Host-csrf')?.value
  await browser.another().post('/auth/email', {}, { headers: JSON_ONLY })
  await stranger(browser.another())
  await browser.submit(form)
  await browser.post('/auth/email', { csrf_token, token })
}

/** With the page's token and without a session. */
async function stranger(browser: OwnerAt['browser']): Promise<void> {
  await browser.get('/auth/login')
  const csrf_token = browser.cookie('__Host-csrf')?.value
  await browser.post('/auth/email', { csrf_token, token: 'x' }, { headers: JSON_ONLY })
}

async function held(server: UiServer, owner: OwnerAt): Promise<void> {
  const { call } = owner
  const fields = await confirmedFor(server, owner)
  await call('PUT', EMAIL, { ...fields, email: `five@${DOMAIN}` })
  const shown = await call('GET', '/settings/factors')
  const { passkeys } = shown.json<{ data: { attributes: { passkeys: { id: string }[] } } }>().data
    .attributes
  for (const { id } of passkeys) await call('DELETE', `/settings/factors/passkeys/${id}`, fields)
  const begun = await call('POST', '/settings/factors/totp', fields)
  const { secret } = begun.json<{ secret: string }>()
  await call('PUT', '/settings/factors/totp', { code: totpCode(server, secret) })
  // The second one would replace the first.
  for (let round = 0; round < 2; round += 1) {
    await call('POST', '/settings/factors/own/right', fields)
    await call('PUT', '/settings/factors/own/right', { code: 'right' })
  }
  const off = { auth_mode: 'basic', passphrase: LOGIN_VALUE }
  const path = '/settings/instance/auth_mode'
  const { two_factor_token } = (await call('PUT', path, off)).json<Record<string, string>>()
  const { passcode } = lastMail(server, 'two_factor')
  await call('PUT', path, { ...off, two_factor_token, two_factor_passcode: passcode })
}

async function undo(server: UiServer, { browser }: OwnerAt): Promise<void> {
  const { url = '' } = lastMail(server, 'email_changed')
  const other = browser.another()
  const form = (await other.get(url)).page().form('/auth/email/undo')
  await other.submit(form)
  await logIn(browser)
  await again(server)
}

/** The answers for programs, on another instance: a change is undone once. */
async function again(server: UiServer): Promise<void> {
  const domain = 'profile-json.example.com'
  await createAlice(server, { domain, email: `old@${domain}` })
  const browser = server.browser(`https://${domain}`)
  const owner = await ownerAt(server, undefined, browser)
  const fields = await confirmedFor(server, owner)
  await owner.call('PUT', EMAIL, { ...fields, email: `new@${domain}` })
  const proof = new URL(lastMail(server, 'update_email').url)
  const page = (await browser.get(proof.href)).page().form('/auth/email')
  await browser.post('/auth/email', page.fields, { headers: JSON_ONLY })
  const { url = '' } = lastMail(server, 'email_changed')
  const form = (await browser.get(url)).page().form('/auth/email/undo')
  await browser.post('/auth/email/undo', form.fields, { headers: JSON_ONLY })
}

async function overLimit(server: UiServer): Promise<void> {
  const domain = 'profile-over.example.com'
  await createAlice(server, { domain })
  const browser = server.browser(`https://${domain}`)
  await logIn(browser)
  await browser.get('/auth/passphrase_reset?from=settings')
  const csrf_token = browser.cookie('__Host-csrf')?.value
  for (let at = 0; at < 11; at += 1) await browser.get('/auth/email?token=x')
  await browser.get('/auth/email/undo?token=x')
  for (const path of PAGES) await browser.post(path, { csrf_token, token: 'x' })
}
