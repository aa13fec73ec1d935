import { type BrowserClient, relyingParty } from '@svc/testkit'
import { createAlice, LOGIN_VALUE, type UiServer } from './ui-server.ts'

const MOVE = '/auth/authorize/move'
/** Meets every status of `move/` and `share-by-link/`. The link `safe` has the password `sesame`. */
export async function exerciseAuthorize(server: UiServer): Promise<void> {
  await exerciseMove(server)
  await exerciseMoveBefore(server)
  await exerciseSharePassword(server)
}

async function exerciseMove(server: UiServer): Promise<void> {
  const domain = 'move.example.com'
  await createAlice(server, { domain })
  const { browser, form } = await openMove(server, domain)
  await browser.post(MOVE, form)
  for (let count = 0; count < 21; count += 1) {
    await browser.post(MOVE, { ...form, passphrase: 'wrong' })
  }
}

async function exerciseMoveBefore(server: UiServer): Promise<void> {
  const domain = 'not-yet.example.com'
  await createAlice(server, { domain, email: 'a@mail.example' }, { isOnboarded: false })
  const { browser, asked } = await visit(server, domain)
  const url = `${MOVE}?${new URLSearchParams(asked).toString()}`
  await browser.get(url, { headers: { accept: 'application/json' } })
  const page = await browser.get(url)
  const token = page.page().form('/auth/onboarding/resend').value('csrf_token') ?? ''
  await browser.post(MOVE, { ...asked, csrf_token: token, passphrase: LOGIN_VALUE })
}

/** Opens the form of a move as the owner does. @param by - a browser of its own unless given @returns what the browser sends with the right passphrase */
export async function openMove(
  server: UiServer,
  domain: string,
  by?: BrowserClient,
): Promise<{ readonly browser: BrowserClient; readonly form: Readonly<Record<string, string>> }> {
  const { browser: other, asked } = await visit(server, domain)
  const browser = by ?? other
  const page = await browser.get(`${MOVE}?${new URLSearchParams(asked).toString()}`)
  const csrf_token = page.page().form(MOVE).value('csrf_token') ?? ''
  return { browser, form: { ...asked, csrf_token, passphrase: LOGIN_VALUE } }
}

async function visit(
  server: UiServer,
  domain: string,
): Promise<{ readonly browser: BrowserClient; readonly asked: Record<string, string> }> {
  const redirectUri = 'https://mover.example/done'
  const issuer = `https://${domain}`
  const party = relyingParty({ issuer, port: server.port, redirectUri })
  await party.register()
  const asked = { state: 's', client_id: party.client.client_id, redirect_uri: redirectUri }
  return { browser: server.browser(issuer), asked }
}

async function exerciseSharePassword(server: UiServer): Promise<void> {
  for (const path of ['/auth/share-by-link/password', '/auth/clients/share-by-link/password']) {
    const browser = server.browser()
    await browser.post(path, { perm_id: 'safe', password: 'sesame' })
    await browser.post(path, {})
    for (let count = 0; count < 21; count += 1) {
      await browser.post(path, { perm_id: 'safe', password: 'wrong' })
    }
    server.clock.advance(300_000)
  }
}
