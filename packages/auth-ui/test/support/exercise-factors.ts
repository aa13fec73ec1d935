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
import { trustBrowser } from './second-step.ts'
import { softwareAuthenticator } from './software-authenticator.ts'
import { createAlice, LOGIN_VALUE, type UiServer } from './ui-server.ts'

const DOMAIN = 'factors.example.com'
const JSON_ONLY = { accept: 'application/json' }
const CODE = '0'.repeat(32)
const OWN_PATH = '/settings/factors/own/right'
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
  await createAlice(server, { domain: DOMAIN, email: `owner@${DOMAIN}` })
  const browser = server.browser(`https://${DOMAIN}`)
  const owner = await ownerAt(server, undefined, browser)
  await confirmation(server, browser)
  for (const path of ['factors', 'trusted_devices']) await owner.call('GET', `/settings/${path}`)
  await owner.call('DELETE', '/settings/trusted_devices/x')
  await owner.call('POST', '/settings/factors/totp', {})
  await mail(server, owner)
  await passkey(server, owner)
  await removals(server, owner)
  await authMode(server, owner)
}

async function confirmation(server: UiServer, browser: BrowserClient): Promise<void> {
  await browser.get('/auth/confirm?state=x')
  await browser.get('/auth/confirm')
  await browser.get(`/auth/confirm/${CODE}?state=a&state=a`)
  await postConfirm(browser)

  for (let at = 0; at < 11; at += 1) await postConfirm(browser, { passphrase: 'wrong' })
  server.clock.advance(3_600_000)
  const { location = '' } = await postConfirm(browser)
  await browser.get(`/auth/confirm/${new URL(location).searchParams.get('code')}`)

  for (let at = 0; at < 61; at += 1) await browser.get(`/auth/confirm/${CODE}`)
}

async function mail(server: UiServer, owner: OwnerAt): Promise<void> {
  const { call } = owner
  const path = '/settings/factors/mail'
  const fields = await confirmedFor(server, owner)
  await call('POST', '/settings/factors/recovery_codes', fields)
  for (const body of [undefined, null, { kept: true }])
    await call('PUT', '/settings/factors/totp', body)
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

  const page = (await passkeyPage(server, owner)).page()
  const form = page.form('/auth/passkey')
  const device = softwareAuthenticator(browser.base)
  await browser.submit(form, { credential: 'x' })
  await browser.submit(form, { credential: device.create(optionsOf(page)) })
  for (const tampering of [{ challenge: 'AAAA' }, {}]) {
    const other = (await passkeyPage(server, owner)).page()
    await browser.post(
      '/auth/passkey',
      [
        ...other.form('/auth/passkey').fields.filter(([name]) => name !== 'credential'),
        ['credential', softwareAuthenticator(browser.base).create(optionsOf(other), tampering)],
      ],
      { headers: JSON_ONLY },
    )
  }
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
  await trustBrowser(server, browser.another())
  const { data } = (await call('GET', '/settings/trusted_devices')).json<{
    data: { id: string }[]
  }>()
  for (const { id } of data) await call('DELETE', `/settings/trusted_devices/${id}`)
  await call('PUT', path, { auth_mode: 'basic', passphrase: LOGIN_VALUE })
  for (let at = 0; at < 21; at += 1)
    await call('PUT', path, { auth_mode: 'basic', passphrase: 'x' })
}
