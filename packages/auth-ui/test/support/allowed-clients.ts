import { type BrowserClient, type RelyingParty, relyingParty } from '@svc/testkit'

/** A client with what it got. */
export interface AllowedClient {
  readonly party: RelyingParty
  readonly id: string
  readonly tokens: Awaited<ReturnType<RelyingParty['exchange']>>
}

/** Registers a client whose owner allows it what the page proposes, but for the fields. */
export async function allowClient(
  browser: BrowserClient,
  port: number,
  scope: string,
  fields: Readonly<Record<string, string>> = {},
  known?: RelyingParty,
): Promise<AllowedClient> {
  const issuer = new URL(browser.base).origin
  const party = known ?? relyingParty({ issuer, port })
  if (known === undefined) await party.register()
  const { url, exchange } = await allowAgain(browser, party, scope, fields)
  return { party, id: party.client.client_id, tokens: await exchange(url) }
}

/** The same, before the code is exchanged. */
export async function allowAgain(
  browser: BrowserClient,
  party: RelyingParty,
  scope: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<{
  readonly url: string
  readonly exchange: (url: string) => ReturnType<RelyingParty['exchange']>
}> {
  const pending = await party.authorize({ scope })
  const page = await browser.get(pending.url)
  const shown = Object.fromEntries(page.page().form('/auth/authorize').fields)
  const { location } = await browser.post('/auth/authorize', { ...shown, ...fields })
  if (location === undefined) throw new Error('the owner was not sent back')
  return { url: location, exchange: (url) => party.exchange(url, pending) }
}
