import { relyingParty } from '@svc/testkit'
import { LOGIN_VALUE, type UiServer } from './ui-server.ts'

const PATH = '/settings/passphrase/flagship'

/** Meets every declared status of onboarding from an app, and what only certified apps are answered. */
export async function exerciseFlagship(server: UiServer): Promise<void> {
  const { owners } = server.ui
  const { clients } = server.oauth

  async function newcomer(domain: string) {
    const { instance } = await owners.createInstance({ domain })
    const url = new URL(await owners.createOnboardingUrl(instance))
    const base = `https://${domain}`
    const { client_id, client_secret } = await relyingParty({
      issuer: base,
      port: server.port,
    }).register()
    const client = { client_id, client_secret, passphrase: LOGIN_VALUE }
    const register_token = url.searchParams.get('registerToken')
    const fields = { ...client, register_token, iterations: 50_000 }
    return { instance, client, fields, browser: server.browser(base) }
  }

  const guessing = await newcomer('guessing.example.com')

  for (let at = 0; at < 4; at += 1) {
    await guessing.browser.postJson(PATH, { ...guessing.fields, register_token: 'ab' })
  }
  const plain = await newcomer('plain.example.com')
  await plain.browser.postJson(PATH, { ...plain.fields, iterations: 10 })
  await plain.browser.postJson(PATH, plain.fields)

  const { instance, client, fields, browser } = await newcomer('certified.example.com')
  await clients.setFlagship(instance, client.client_id, true)
  await browser.postJson(PATH, fields)
  await browser.postJson('/auth/login/flagship', client)
  await owners.setMagicLink(instance, true)
  const { code: magic_code } = await owners.createMagicLinkCode(instance)
  await browser.postJson('/auth/magic_link/flagship', { ...client, magic_code })
}
