import type { Instance } from '@svc/platform'
import { confirmedFor, type OwnerAt, ownerAt } from './factor-flows.ts'
import {
  enablePasskey,
  optionsOf,
  passkeyLogin,
  passkeyPage,
  postCredential,
} from './passkey-flows.ts'
import { changeOwner, ownerOf } from './second-step.ts'
import { softwareAuthenticator } from './software-authenticator.ts'
import { createAlice, type UiServer } from './ui-server.ts'

const DOMAIN = 'passkeys.example.com'
const LOGIN = '/auth/login/passkey'
const OPTIONS = '/auth/login/passkey/options'
const OFFER = '/auth/passkey/offer'
const ASKED = '/settings/factors/passkey_after_passphrase'
const JSON_ONLY = { accept: 'application/json' }
/** Meets every status of what passkeys alone open, on instances of its own. */
export async function exercisePasskeys(server: UiServer): Promise<void> {
  const { instance } = await createAlice(server, { domain: DOMAIN, email: `owner@${DOMAIN}` })
  const owner = await ownerAt(server, undefined, server.browser(`https://${DOMAIN}`))
  await offer(owner)
  await settings(server, owner)
  await logIn(server)
  await tooMany(server, instance)
}

async function offer({ browser }: OwnerAt): Promise<void> {
  await browser.get(OFFER)
  await browser.get(`${OFFER}?answered=1`)
}

async function settings(server: UiServer, owner: OwnerAt): Promise<void> {
  const { call } = owner
  const { credentialId } = await enablePasskey(server, owner)
  const fields = await confirmedFor(server, owner)
  const passkey = `/settings/factors/passkeys/${credentialId}`

  await call('PATCH', passkey, { label: 'Phone' })
  await call('PATCH', '/settings/factors/passkeys/x', { label: 'Phone' })
  await call('PUT', ASKED, { ...fields, enabled: true })
  await call('PUT', ASKED, { ...fields, enabled: false })
}

async function logIn(server: UiServer): Promise<void> {
  const open = () => server.browser(`https://${DOMAIN}`)
  const owner = await ownerAt(server, undefined, open())
  const page = (await owner.browser.get(OFFER)).page()
  const device = softwareAuthenticator(owner.browser.base)
  await owner.browser.submit(page.form('/auth/passkey'), {
    credential: device.create(optionsOf(page)),
  })
  await passkeyLogin(open(), device)
  const browser = open()
  await browser.post(LOGIN, { credential: 'x' })

  const credential = device.get(
    (await browser.post(OPTIONS, {}, { headers: JSON_ONLY })).json<Record<string, unknown>>(),
  )
  await browser.post(LOGIN, { credential })
  const wrong = open()
  for (let at = 0; at < 21; at += 1) await postCredential(wrong, 'x')
  await wrong.post(OPTIONS, {}, { headers: JSON_ONLY })
  await wrong.post('/auth/confirm', { state: 'x', credential: 'x' })
}

async function tooMany(server: UiServer, instance: Instance): Promise<void> {
  const owner = await ownerAt(server, undefined, server.browser(`https://${DOMAIN}`))
  const page = (await passkeyPage(server, owner)).page()
  const [known] = (await ownerOf(server, instance)).factors?.passkeys ?? []
  if (known === undefined) throw new Error('no passkey')
  const passkeys = Array.from({ length: 20 }, (_, at) => ({ ...known, id: `key${at}` }))
  await changeOwner(server, instance, (found) => ({
    ...found,
    factors: { passkeys, passkeyAfterPassphrase: false },
  }))
  await passkeyPage(server, owner)
  await owner.browser.submit(page.form('/auth/passkey'), { credential: 'x' })
  await changeOwner(server, instance, (found) => ({
    ...found,
    passwordDefined: false,
    factors: { passkeys: passkeys.slice(0, 1), passkeyAfterPassphrase: false },
  }))
  const fields = await confirmedFor(server, owner)
  await owner.call('DELETE', '/settings/factors/passkeys/key0', fields)
}
