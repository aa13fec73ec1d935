import { type BrowserClient, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { LOGIN_VALUE, type UiServer } from './ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const DOMAIN = 'codes.example.com'
/** Meets every declared status of session codes, magic links and the logins of apps. */
export async function exerciseCodeLogins(server: UiServer): Promise<void> {
  const { owners } = server.ui
  const created = await owners.createInstance({ domain: DOMAIN })
  const browser = server.browser(`https://${DOMAIN}`)

  const { instance } = created
  await owners.importPassphrase(instance, {
    over: 'login-value',
    // Of login.md 3.2; cheap enough for one use.
    hash: 'scrypt$32768$8$1$000102030405060708090a0b0c0d0e0f$1812f58540fb69db62d5c8fc909e6ee9317a6090629355d719b5a1efbd544b36',
    salt: 'me@alice.example.com',
    iterations: 50_000,
  })
  await browser.post('/auth/magic_link', {})
  await owners.setMagicLink(instance, true)

  const newLink = async (): Promise<{ code: string; url: string }> =>
    owners.createMagicLinkCode(instance)
  const fresh = (): BrowserClient => server.browser(`https://${DOMAIN}`)
  for (const headers of [{}, JSON_ONLY]) {
    await fresh().post('/auth/magic_link', {}, { headers })
    await fresh().post('/auth/magic_link/open', { code: (await newLink()).code }, { headers })
    const { code } = await newLink()
    const fields = { magic_code: code, passphrase: LOGIN_VALUE }
    await fresh().post('/auth/magic_link/twofactor', fields, { headers })
    await fresh().post('/auth/magic_link/twofactor', fields, { headers })
    await fresh().post('/auth/magic_link/open', { code }, { headers })
  }
  await fresh().get((await newLink()).url)
  const asking = fresh()
  await asking.post('/auth/magic_link', {})
  const mail = server.mails.findLast(({ template }) => template === 'magic_link')
  if (mail?.template === 'magic_link') await asking.get(mail.variables.url)

  const party = relyingParty({ issuer: `https://${DOMAIN}`, port: server.port })
  const { client_id, client_secret } = await party.register()
  const client = { client_id, client_secret, passphrase: LOGIN_VALUE }
  await browser.postJson('/auth/session_code', { passphrase: LOGIN_VALUE })
  await browser.postJson('/auth/login/flagship', client)
  const { code: magic_code } = await newLink()
  for (const no of [{ passphrase: {} }, { client_secret: {} }])
    await browser.postJson('/auth/magic_link/flagship', { ...client, magic_code, ...no })
  await browser.postJson('/auth/magic_link/flagship', { ...client, magic_code })
  await browser.postJson('/auth/magic_link/flagship', { ...client, magic_code })
  const both = { two_factor_token: 'x', two_factor_code: '1', two_factor_passcode: '2' }
  for (const path of ['/auth/session_code', '/auth/login/flagship'])
    await browser.postJson(path, { ...client, ...both })
  await beforeFirstLogin(server)

  await owners.setAuthMode(instance, 'two_factor_mail')
  await browser.postJson('/auth/session_code', { passphrase: LOGIN_VALUE })
  const pair = { two_factor_token: 'x', two_factor_code: 'x' }
  await browser.postJson('/auth/login/flagship', { ...client, ...pair })
  for (let at = 0; at < 21; at += 1) {
    await fresh().postJson('/auth/session_code', {})
    await fresh().postJson('/auth/login/flagship', { ...client, passphrase: 'wrong' })
  }
  for (let at = 0; at < 31; at += 1) {
    await fresh().get('/auth/magic_link?code=x')
    if (at < 6) await fresh().post('/auth/magic_link', {})
  }
  expect((await fresh().get((await newLink()).url)).status, 'a right code').to.equal(429)
  for (const path of ['', '/open', '/twofactor']) await fresh().post(`/auth/magic_link${path}`, {})
  await fresh().postJson('/auth/magic_link/flagship', { ...client, magic_code })
}

/** An owner whose hash was imported: no login value is compared with it yet. */
async function beforeFirstLogin(server: UiServer): Promise<void> {
  const { owners } = server.ui
  const { instance } = await owners.createInstance({ domain: 'imported.example.com' })
  const hash = `$pbkdf2-sha256$29000$AAAAAAAAAAAAAAAAAAAAAA$${'A'.repeat(43)}`
  await owners.importPassphrase(instance, { over: 'passphrase', hash })
  await owners.setMagicLink(instance, true)
  const party = relyingParty({ issuer: instance.origin, port: server.port })
  const { client_id, client_secret } = await party.register()
  // The passphrase is the second step of a mailed link.
  await owners.setAuthMode(instance, 'two_factor_mail')
  const { code: magic_code } = await owners.createMagicLinkCode(instance)
  const client = { client_id, client_secret, passphrase: LOGIN_VALUE, magic_code }
  await server.browser(instance.origin).postJson('/auth/magic_link/flagship', client)
}
