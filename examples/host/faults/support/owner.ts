import {
  type AuthorizeOptions,
  type BrowserClient,
  browserClient,
  type RelyingParty,
} from '@svc/testkit'
import type { HostFleet } from './host-fleet.ts'

export const DOMAIN = 'alice.example.com'
export const ISSUER = `https://${DOMAIN}`

/** The owner of the instance, in a browser that is logged in. */
export interface FleetOwner {
  readonly browser: BrowserClient
  /** What the settings app sends with its requests. */
  readonly settings: { readonly authorization: string; readonly cookie: string }
}

/** Makes the instance and its owner. */
export async function makeOwner(
  fleet: Pick<HostFleet, 'adminCall'>,
  port: number,
): Promise<FleetOwner> {
  await fleet.adminCall('POST', '/instances', {
    domain: DOMAIN,
    email: 'alice@mail.example',
    passphrase: 'correct horse battery staple',
  })
  const tokens = await fleet.adminCall('POST', `/instances/${DOMAIN}/app-tokens`, {
    slug: 'settings',
  })
  const { cookie, token } = tokens as { readonly cookie: string; readonly token: string } // as the route answers
  const browser = browserClient({ base: ISSUER, port })
  browser.plantCookie(`${cookie}; Path=/; Domain=${DOMAIN}; Secure`, ISSUER)
  return { browser, settings: { authorization: `Bearer ${token}`, cookie } }
}

/** The owner allows on the page what the client asks for. @returns the client's tokens */
export async function letIn(
  owner: BrowserClient,
  party: RelyingParty,
  asked: AuthorizeOptions,
): ReturnType<RelyingParty['exchange']> {
  const pending = await party.authorize(asked)
  const page = await owner.get(pending.url)
  const answer = await owner.submit(page.page().form('/auth/authorize'))
  return party.exchange(answer.location ?? '', pending)
}
