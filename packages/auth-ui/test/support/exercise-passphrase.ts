import type { BrowserClient } from '@svc/testkit'
import { JSON_ONLY, requestReset, resetLink } from './reset.ts'
import { appToken, ask } from './settings-server.ts'
import { LOGIN_VALUE, logIn, PASSPHRASE, type UiServer } from './ui-server.ts'

const DOMAIN = 'lost.example.com'
const EMAIL = 'lost@example.org'
const FORM = 'application/x-www-form-urlencoded'
const EVIL = 'https://evil.example'
const BAD_QUERY = '?a=%ff'
const TOO_MUCH = 'x'.repeat(65_537)
const NEW_VALUE = 'bmV3IGxvZ2luIHZhbHVlLCAzMiBieXRlcyBsb25nLi4='
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
  await malformed(browser)
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

async function malformed(browser: BrowserClient): Promise<void> {
  const paths = ['hint', 'onboarding/resend', 'passphrase_renew', 'passphrase_reset']
  for (const path of paths.map((each) => `/auth/${each}`)) {
    const send = (body: string, type: string, from?: string): Promise<unknown> =>
      browser.post(
        path,
        {},
        { body, headers: { 'content-type': type }, ...(from === undefined ? {} : { from }) },
      )
    await send('x', 'text/plain')
    await send(TOO_MUCH, FORM)
    await send('a=%ff', FORM)
    await send('x', FORM, EVIL)
  }
  for (const path of ['/auth/passphrase_renew', '/auth/passphrase_reset']) {
    await browser.get(path + BAD_QUERY)
  }
}

async function wayBack(server: UiServer, browser: BrowserClient): Promise<void> {
  await browser.post('/auth/hint', {})
  await browser.post('/auth/onboarding/resend', {})
  await browser.get('/auth/passphrase_reset')
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
  await browser.post('/auth/passphrase_renew', fields, { headers: JSON_ONLY })
  for (let at = 0; at < 11; at += 1) await browser.get('/auth/passphrase_renew')
  await browser.post('/auth/passphrase_renew', fields)
  await logIn(browser)
  await browser.get('/auth/passphrase_reset')
}

async function settings(browser: BrowserClient): Promise<void> {
  for (const [method, path, json] of SETTINGS) {
    await browser.request(method, path, json === undefined ? {} : jsonRequest('{}'))
    await ask(browser, method, path, json, { slug: 'drive' })
    const authorization = `Bearer ${await appToken(browser)}`
    const send = (query: string, body: string, type: string): Promise<unknown> =>
      browser.request(method, path + query, {
        ...(json === undefined ? {} : { body }),
        headers: { authorization, 'content-type': type },
      })
    await send(BAD_QUERY, '{}', 'application/json')
    if (json === undefined) continue
    await send('', 'x', FORM)
    await send('', TOO_MUCH, 'application/json')
  }
  await ask(browser, 'GET', '/settings/hint')
  await ask(browser, 'PUT', '/settings/hint', { hint: PASSPHRASE })
  for (let at = 0; at < 21; at += 1) await ask(browser, 'PUT', '/settings/hint', { hint: 'x' })
  await ask(browser, 'GET', '/settings/hint')
  const change = { current_passphrase: LOGIN_VALUE, new_passphrase: NEW_VALUE, iterations: 1 }
  await ask(browser, 'PUT', '/settings/passphrase', change)
  await ask(browser, 'PUT', '/settings/passphrase', { ...change, iterations: 50_000 })
  const check = '/settings/passphrase/check'
  await ask(browser, 'POST', check, { passphrase: NEW_VALUE })
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

function jsonRequest(body: string): { body: string; headers: Record<string, string> } {
  return { body, headers: { 'content-type': 'application/json' } }
}
