import type { Instance } from '@svc/platform'
import { relyingParty } from '@svc/testkit'
import { allowClient } from './allowed-clients.ts'
import { confirmedFor, enableMail, enableTotp, type OwnerAt, ownerAt } from './factor-flows.ts'
import { enablePasskey, optionsOf, passkeyPage } from './passkey-flows.ts'
import {
  enroll,
  lastPasscode,
  passStep1,
  passStep2,
  setFactors,
  trustBrowser,
} from './second-step.ts'
import { softwareAuthenticator } from './software-authenticator.ts'
import { createAlice, LOGIN_VALUE, type UiServer } from './ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }

/** Does what the record of activity names and nothing else here has an occasion for. */
export async function exerciseActivity(server: UiServer): Promise<void> {
  await clients(server)
  await settings(server)
  await factors(server)
  await devices(server)
  await wrongAnswers(server)
}

async function started(
  server: UiServer,
  name: string,
): Promise<OwnerAt & { readonly instance: Instance }> {
  const domain = `${name}.example.com`
  const { instance } = await createAlice(server, { domain, email: `owner@${domain}` })
  return { instance, ...(await ownerAt(server, undefined, server.browser(`https://${domain}`))) }
}

async function clients(server: UiServer): Promise<void> {
  const { browser, call } = await started(server, 'noted-clients')
  const scope = 'io.svc.files:GET io.svc.contacts:GET'
  const { id } = await allowClient(browser, server.port, scope, { duration: '1h' })
  await call('PATCH', `/settings/clients/${id}`, { duration: '30d' })
  await call('PATCH', `/settings/clients/${id}`, { scope: 'io.svc.files:GET' })
  await call('DELETE', `/settings/clients/${id}`)
}

async function settings(server: UiServer): Promise<void> {
  const owner = await started(server, 'noted-settings')
  const { browser, call } = owner
  await call('PATCH', '/settings/profile', { locale: 'fr' })
  for (const enabled of [true, false]) {
    const fields = await confirmedFor(server, owner)
    await call('PUT', '/settings/magic_link', { ...fields, enabled })
  }
  await call('PUT', '/settings/hint', { hint: 'the comic' })
  await browser.another().post('/auth/hint', {})
  await server.sentMails()
  await call('PUT', '/settings/passphrase', {
    current_passphrase: 'wrong',
    new_passphrase: 'bmV3IGxvZ2luIHZhbHVlLCAzMiBieXRlcyBsb25nLi4=',
    iterations: 50_000,
  })
}

async function factors(server: UiServer): Promise<void> {
  const owner = await started(server, 'noted-factors')
  const { browser, call } = owner
  const { credentialId } = await enablePasskey(server, owner)
  await call('PATCH', `/settings/factors/passkeys/${credentialId}`, {
    ...(await confirmedFor(server, owner)),
    trusted: true,
  })
  const page = (await passkeyPage(server, owner)).page()
  await browser.submit(page.form('/auth/passkey'), {
    credential: softwareAuthenticator(browser.base).create(optionsOf(page)),
    second_step_only: '1',
  })
  const asked = '/settings/factors/passkey_after_passphrase'
  const fields = await confirmedFor(server, owner)
  // Passkeys alone would shut out whoever loses them.
  await call('POST', '/settings/factors/recovery_codes', fields)
  for (const enabled of [true, false]) await call('PUT', asked, { ...fields, enabled })
  const alone = await started(server, 'noted-totp')
  await enableTotp(server, alone)
  const mode = await started(server, 'noted-mode')
  await enableMail(server, mode)
  const off = { auth_mode: 'basic', passphrase: LOGIN_VALUE }
  const path = '/settings/instance/auth_mode'
  const { two_factor_token } = (await mode.call('PUT', path, off)).json<Record<string, string>>()
  const two_factor_code = lastPasscode(server)
  await mode.call('PUT', path, { ...off, two_factor_token, two_factor_code })
}

async function devices(server: UiServer): Promise<void> {
  const { instance, browser, call } = await started(server, 'noted-devices')
  await enroll(server, instance, 'mail')
  await trustBrowser(server, browser.another())
  const listed = await call('GET', '/settings/devices')
  const { data } = listed.json<{ data: { id: string; attributes: { current: boolean } }[] }>()
  // The own one last: it is a logout.
  const own = data.filter(({ attributes }) => attributes.current)
  for (const { id } of [...data.filter((each) => !own.includes(each)), ...own]) {
    await call('DELETE', `/settings/devices/${id}`)
  }
  await setFactors(server, instance, {})
  const again = await ownerAt(server, undefined, browser.another())
  const current = await again.browser.get('/settings/sessions/current')
  const { id } = current.json<{ data: { id: string } }>().data
  await again.call('DELETE', `/settings/sessions/${id}`)
}

async function wrongAnswers(server: UiServer): Promise<void> {
  const { instance, browser } = await started(server, 'noted-answers')
  const { owners } = server.ui
  const { recoveryCodes } = await enroll(server, instance, 'mail', 'recovery')
  const fresh = browser.another()
  await passStep2(fresh, await passStep1(fresh), recoveryCodes[0] ?? '')
  const opened = await browser.postJson('/auth/session_code', { passphrase: LOGIN_VALUE })
  const { two_factor_token } = opened.json<Record<string, string>>()
  const wrong = { two_factor_token, two_factor_code: 'x' }
  await browser.postJson('/auth/session_code', { passphrase: LOGIN_VALUE, ...wrong })
  await owners.setMagicLink(instance, true)
  const party = relyingParty({ issuer: instance.origin, port: server.port })
  const { client_id, client_secret } = await party.register()
  const { code } = await owners.createMagicLinkCode(instance)
  const client = { client_id, client_secret, passphrase: 'wrong', magic_code: code }
  await browser.another().postJson('/auth/magic_link/flagship', client)
  for (let at = 0; at < 21; at += 1) {
    const { code: magic_code } = await owners.createMagicLinkCode(instance)
    const fields = { magic_code, passphrase: 'wrong' }
    await browser.another().post('/auth/magic_link/twofactor', fields, { headers: JSON_ONLY })
  }
}
