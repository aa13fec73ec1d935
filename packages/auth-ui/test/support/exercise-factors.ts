import type { BrowserClient } from '@svc/testkit'
import type { OwnFactor } from '../../src/factors/own-factor.ts'
import {
  type ConfirmationFields,
  confirmedFor,
  lastMail,
  type OwnerAt,
  ownerAt,
  postConfirm,
  totpCode,
} from './factor-flows.ts'
import { optionsOf, passkeyPage } from './passkey-flows.ts'
import { softwareAuthenticator } from './software-authenticator.ts'
import { createAlice, LOGIN_VALUE, logIn, type UiServer } from './ui-server.ts'

const DOMAIN = 'factors.example.com'
const JSON_ONLY = { accept: 'application/json' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const BAD_QUERY = '?a=%ff'
const TOO_MUCH = 'x'.repeat(65_537)
const CODE = '0'.repeat(32)
const OWN_PATH = '/settings/factors/own/right'
const CHANGES: readonly [method: string, path: string][] = [
  ['PUT', '/settings/factors/mail'],
  ['DELETE', '/settings/factors/mail'],
  ['DELETE', '/settings/factors/passkeys/x'],
  ['POST', '/settings/factors/recovery_codes'],
  ['DELETE', '/settings/factors/recovery_codes'],
  ['POST', '/settings/factors/totp'],
  ['PUT', '/settings/factors/totp'],
  ['DELETE', '/settings/factors/totp'],
  ['POST', '/settings/factors/own/right'],
  ['PUT', '/settings/factors/own/right'],
  ['DELETE', '/settings/factors/own/right'],
  ['PUT', '/settings/instance/auth_mode'],
]
const READS: readonly [method: string, path: string][] = [
  ['GET', '/settings/factors'],
  ['GET', '/settings/trusted_devices'],
  ['DELETE', '/settings/trusted_devices/x'],
]

/** Takes one word, always. */
export const RIGHT: OwnFactor = {
  name: 'right',
  label: { en: 'Right' },
  enrol: () => ({ show: { secret: 'right' }, state: '' }),
  verify: (state, answer) =>
    answer === 'right' ? { result: 'right', state } : { result: 'wrong' },
}

/** Meets every status of confirmation, passkeys and the settings of factors, on instances of its own. */
export async function exerciseFactors(server: UiServer): Promise<void> {
  await beforeOnboarding(server)
  await createAlice(server, { domain: DOMAIN, email: `owner@${DOMAIN}` })
  const browser = server.browser(`https://${DOMAIN}`)
  const owner = await ownerAt(server, undefined, browser)
  await confirmation(server, browser)
  await refusals(owner)
  await mail(server, owner)
  await passkey(server, owner)
  await removals(server, owner)
  await authMode(server, owner)
}

async function beforeOnboarding(server: UiServer): Promise<void> {
  const domain = 'factors-soon.example.com'
  await server.ui.owners.createInstance({ domain })
  const browser = server.browser(`https://${domain}`)
  await browser.get('/auth/confirm?state=x', { headers: JSON_ONLY })
  await postConfirm(browser, {}, JSON_ONLY)
  await browser.get(`/auth/confirm/${CODE}`)
}

async function confirmation(server: UiServer, browser: BrowserClient): Promise<void> {
  await browser.get('/auth/confirm?state=x')
  await browser.get('/auth/confirm')
  await postConfirm(browser)
  await postConfirm(browser, { state: '' })
  await browser.post('/auth/confirm', {}, { from: 'https://evil.example' })
  await browser.post('/auth/confirm', {}, { body: 'x', headers: { 'content-type': 'text/plain' } })
  await postConfirm(browser, { state: TOO_MUCH })
  for (let at = 0; at < 11; at += 1) await postConfirm(browser, { passphrase: 'wrong' })
  server.clock.advance(3_600_000)
  const { location = '' } = await postConfirm(browser)
  await browser.get(`/auth/confirm/${new URL(location).searchParams.get('code')}`)
  await browser.get(`/auth/confirm/${CODE}${BAD_QUERY}`)
  for (let at = 0; at < 61; at += 1) await browser.get(`/auth/confirm/${CODE}`)
}

async function refusals({ browser, call }: OwnerAt): Promise<void> {
  const drive = browser.base.replace('https://', 'https://drive.')
  const page = await browser.get(`${drive}/`)
  const authorization = `Bearer ${page.json<Record<string, string>>()['data-svc-token']}`
  for (const [method, path] of [...READS, ...CHANGES]) {
    await browser.request(method, path)
    await browser.request(method, path, { headers: { authorization } })
    await call(method, path + BAD_QUERY)
  }
  for (const [method, path] of READS) await call(method, path)
  for (const [method, path] of CHANGES) {
    await call(method, path, [])
    await call(method, path, 'x', FORM)
    await call(method, path, TOO_MUCH)
  }
}

async function mail(server: UiServer, owner: OwnerAt): Promise<void> {
  const { call } = owner
  const path = '/settings/factors/mail'
  const fields = await confirmedFor(server, owner)
  await call('POST', '/settings/factors/recovery_codes', fields)
  await call('PUT', '/settings/factors/totp', { kept: true })
  await call('POST', OWN_PATH, fields)
  await call('PUT', OWN_PATH, { code: 'right' })
  await call('PUT', OWN_PATH, { kept: true })
  await call('DELETE', OWN_PATH, fields)
  // Alone, an authenticator app is answered with recovery codes.
  const begun = await call('POST', '/settings/factors/totp', fields)
  const { secret } = begun.json<{ secret: string }>()
  await call('PUT', '/settings/factors/totp', { code: totpCode(server, secret) })
  for (let round = 0; round < 2; round += 1) {
    await call('PUT', path, fields)
    for (let at = 0; at < 5; at += 1) await call('PUT', path, { ...fields, code: 'x' })
  }
  await call('PUT', path, fields)
  await call('PUT', path, { ...fields, code: 'x' })
  server.clock.advance(300_001)
  const fresh = await confirmedFor(server, owner)
  await call('PUT', path, fresh)
  const { code } = lastMail(server, 'two_factor_mail_confirmation')
  await call('PUT', path, { ...fresh, code })
  await call('POST', '/settings/factors/recovery_codes', fresh)
}

async function passkey(server: UiServer, owner: OwnerAt): Promise<void> {
  const { browser } = owner
  await browser.get('/auth/passkey')
  await browser.get(`/auth/passkey${BAD_QUERY}`)
  await browser.post('/auth/passkey', {})
  await browser.post('/auth/passkey', { csrf_token: 'x' })
  await browser.postJson('/auth/passkey', {})
  await browser.post('/auth/passkey', { credential: TOO_MUCH })
  const page = (await passkeyPage(server, owner)).page()
  const form = page.form('/auth/passkey')
  const device = softwareAuthenticator(browser.base)
  await browser.submit(form, { credential: 'x' })
  await browser.submit(form, { credential: device.create(optionsOf(page)) })
  const other = (await passkeyPage(server, owner)).page()
  await browser.post(
    '/auth/passkey',
    [
      ...other.form('/auth/passkey').fields.filter(([name]) => name !== 'credential'),
      ['credential', softwareAuthenticator(browser.base).create(optionsOf(other))],
    ],
    { headers: JSON_ONLY },
  )
}

async function removals(server: UiServer, owner: OwnerAt): Promise<void> {
  const { browser, call } = owner
  const fields = await confirmedFor(server, owner)
  const late = (await passkeyPage(server, owner)).page().form('/auth/passkey')
  const asked = { ...fields, enabled: true }
  await call('PUT', '/settings/factors/passkey_after_passphrase', asked)
  await call('DELETE', '/settings/factors/passkeys/x', fields)
  await call('DELETE', '/settings/factors/totp', fields)
  await call('DELETE', '/settings/factors/recovery_codes', fields)
  await call('DELETE', '/settings/factors/mail', fields)
  await call('POST', '/settings/factors/recovery_codes', fields)
  await call('PUT', '/settings/factors/totp', { code: 'x' })
  const begun = await call('POST', '/settings/factors/totp', fields)
  await call('PUT', '/settings/factors/totp', { code: 'x' })
  const { secret } = begun.json<{ secret: string }>()
  await call('PUT', '/settings/factors/totp', { code: totpCode(server, secret) })
  await call('DELETE', '/settings/factors/mail', fields)
  await call('DELETE', '/settings/factors/recovery_codes', fields)
  await call('DELETE', '/settings/factors/totp', fields)
  await call('POST', '/settings/factors/recovery_codes', fields)
  await call('DELETE', '/settings/factors/totp', fields)
  await call('DELETE', '/settings/factors/recovery_codes', fields)
  await ownFactor(owner, fields)
  const shown = await call('GET', '/settings/factors')
  const { passkeys } = shown.json<{ data: { attributes: { passkeys: { id: string }[] } } }>().data
    .attributes
  for (const { id } of passkeys) await call('DELETE', `/settings/factors/passkeys/${id}`, fields)
  await browser.submit(late, { credential: 'x' })
  await passkeyPage(server, owner)
}

/** Beside recovery codes and passkeys that are asked for. */
async function ownFactor({ call }: OwnerAt, fields: ConfirmationFields): Promise<void> {
  await call('POST', '/settings/factors/own/unknown', fields)
  await call('DELETE', OWN_PATH, fields)
  await call('POST', OWN_PATH, fields)
  await call('PUT', OWN_PATH, { code: 'wrong' })
  await call('PUT', OWN_PATH, { code: 'right' })
  await call('PUT', OWN_PATH, { code: 'right' })
  await call('DELETE', '/settings/factors/recovery_codes', fields)
  await call('DELETE', OWN_PATH, fields)
  await call('POST', '/settings/factors/recovery_codes', fields)
  await call('DELETE', OWN_PATH, fields)
}

async function authMode(server: UiServer, owner: OwnerAt): Promise<void> {
  const { browser, call } = owner
  const path = '/settings/instance/auth_mode'
  const on = { auth_mode: 'two_factor_mail', passphrase: LOGIN_VALUE }
  await call('PUT', path, { ...on, two_factor_activation_code: 'x' })
  await call('PUT', path, on)
  const { code } = lastMail(server, 'two_factor_mail_confirmation')
  await call('PUT', path, { ...on, two_factor_activation_code: code })
  const first = await logIn(browser.another(), {}, JSON_ONLY)
  await browser.another().post(
    '/auth/twofactor',
    {
      'two-factor-token': first.json<Record<string, string>>()['two_factor_token'],
      'two-factor-passcode': lastMail(server, 'two_factor').passcode,
      'two-factor-generate-trusted-device-token': 'on',
    },
    { headers: JSON_ONLY },
  )
  const { data } = (await call('GET', '/settings/trusted_devices')).json<{
    data: { id: string }[]
  }>()
  for (const { id } of data) await call('DELETE', `/settings/trusted_devices/${id}`)
  await call('PUT', path, { auth_mode: 'basic', passphrase: LOGIN_VALUE })
  for (let at = 0; at < 21; at += 1)
    await call('PUT', path, { auth_mode: 'basic', passphrase: 'x' })
}
