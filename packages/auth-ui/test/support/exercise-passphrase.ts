import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { JSON_ONLY, requestReset, resetLink } from './reset.ts'
import { ask } from './settings-server.ts'
import { LOGIN_VALUE, logIn, PASSPHRASE, type UiServer } from './ui-server.ts'

const DOMAIN = 'lost.example.com'
const EMAIL = 'lost@example.org'
export const NEW_VALUE = 'bmV3IGxvZ2luIHZhbHVlLCAzMiBieXRlcyBsb25nLi4='
const SETTINGS: readonly [method: string, path: string, json: object | undefined][] = [
  ['GET', '/settings/hint', undefined],
  ['PUT', '/settings/hint', { hint: 'x' }],
  ['PUT', '/settings/passphrase', { current_passphrase: 'x' }],
  ['POST', '/settings/passphrase/check', { passphrase: 'x' }],
]

/** Meets every declared status of the ways back to a passphrase and of its settings. */
export async function exercisePassphrase(server: UiServer): Promise<void> {
  const { owners } = server.ui
  const { instance } = await owners.createInstance({ domain: DOMAIN, email: EMAIL })
  const browser = server.browser(`https://${DOMAIN}`)
  await browser.get('/auth/passphrase_reset')
  await browser.get('/auth/passphrase_reset', { headers: JSON_ONLY })
  await withoutOwner(server)

  await owners.importPassphrase(instance, {
    over: 'login-value',
    hash: 'scrypt$32768$8$1$000102030405060708090a0b0c0d0e0f$1812f58540fb69db62d5c8fc909e6ee9317a6090629355d719b5a1efbd544b36',
    salt: 'me@alice.example.com',
    iterations: 50_000,
  })
  await wayBack(server, browser)
  await settings(browser)
  server.clock.advance(3_600_001)
  await owners.setAuthMode(instance, 'two_factor_mail')
  const current_passphrase = NEW_VALUE
  await ask(browser, 'PUT', '/settings/passphrase', { current_passphrase })
}

async function wayBack(server: UiServer, browser: BrowserClient): Promise<void> {
  await browser.post('/auth/hint', {})
  await browser.post('/auth/onboarding/resend', {})
  await browser.get('/auth/passphrase_reset')
  const redirect = 'https://evil.com/'
  const elsewhere = `/auth/passphrase_reset?redirect=${encodeURIComponent(redirect)}`
  await browser.get(elsewhere, { headers: JSON_ONLY })
  await requestReset(browser, { redirect }, JSON_ONLY)
  const url = await resetLink(server, browser)
  await requestReset(browser, {}, JSON_ONLY)
  const form = (await browser.get(url)).page().form('/auth/passphrase_renew')
  await browser.submit(form, { passphrase: LOGIN_VALUE, iterations: '1' })
  await browser.submit(form, { passphrase: LOGIN_VALUE, iterations: '50000' })
  const again = await resetLink(server, browser)
  const fields = {
    csrf_token: browser.cookie('__Host-csrf')?.value,
    passphrase_reset_token: new URL(again).searchParams.get('token') ?? '',
    passphrase: LOGIN_VALUE,
    iterations: '50000',
  }
  const wrong = { ...fields, passphrase_reset_token: '0'.repeat(32) }
  await browser.post('/auth/passphrase_renew', wrong, { headers: JSON_ONLY })
  await browser.post('/auth/passphrase_renew', fields, { headers: JSON_ONLY })
  const right = await resetLink(server, browser)
  for (let at = 0; at < 11; at += 1) await browser.get('/auth/passphrase_renew')
  expect((await browser.get(right)).status, 'a right token').to.equal(429)
  const late = { ...fields, csrf_token: browser.cookie('__Host-csrf')?.value }
  await browser.post('/auth/passphrase_renew', late)
  await browser.post('/auth/passphrase_renew', late, { headers: JSON_ONLY })
  await logIn(browser)
  await browser.get('/auth/passphrase_reset')
}

async function settings(browser: BrowserClient): Promise<void> {
  const malformed = { current_passphrase: '\ud800', hint: 'x', passphrase: 'x' }
  await ask(browser, 'GET', '/settings/hint')
  await ask(browser, 'PUT', '/settings/hint', malformed)
  await ask(browser, 'PUT', '/settings/hint', { hint: PASSPHRASE })
  for (let at = 0; at < 21; at += 1) await ask(browser, 'PUT', '/settings/hint', { hint: 'x' })
  await ask(browser, 'GET', '/settings/hint')
  const change = { current_passphrase: LOGIN_VALUE, new_passphrase: NEW_VALUE, iterations: 1 }
  await ask(browser, 'PUT', '/settings/passphrase', change)
  await ask(browser, 'PUT', '/settings/passphrase', { ...change, iterations: 50_000 })
  const check = '/settings/passphrase/check'
  for (const fields of [{}, malformed, { passphrase: NEW_VALUE }])
    await ask(browser, 'POST', check, fields)
  for (let at = 0; at < 21; at += 1) await ask(browser, 'POST', check, { passphrase: 'wrong' })
  await ask(browser, 'PUT', '/settings/passphrase', change)
}

/** A session without an owner: only the host can make one. */
async function withoutOwner(server: UiServer): Promise<void> {
  const instance = await server.oauth.instances.create({ domain: 'nobody.example.com' })
  const browser = server.browser('https://nobody.example.com')
  const { cookie } = await server.ui.owners.createSession(instance)
  browser.plantCookie(`${cookie.name}=${cookie.value}; Domain=nobody.example.com; Path=/; Secure`)
  for (const [method, path, json] of SETTINGS) await ask(browser, method, path, json)
}
