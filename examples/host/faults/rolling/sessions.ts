import { browserClient } from '@svc/testkit'
import type { HostFleet } from '../support/host-fleet.ts'
import { DOMAIN } from '../support/owner.ts'

/** Browsers in which the owner is logged in. */
export interface KeptSessions {
  /** How many ask for the passphrase now. */
  lost(): Promise<number>
}

/** Opens sessions of the owner. */
export async function keepSessions(
  fleet: Pick<HostFleet, 'adminCall'>,
  port: number,
  count: number,
): Promise<KeptSessions> {
  const origin = `https://${DOMAIN}`
  const cookies: string[] = []
  for (let made = 0; made < count; made += 1) {
    const path = `/instances/${DOMAIN}/app-tokens`
    const answer = await fleet.adminCall('POST', path, { slug: 'settings' })
    cookies.push((answer as { readonly cookie: string }).cookie) // as the route answers
  }
  /** Whoever is logged in is sent on; everybody else gets the form. */
  async function isAsked(cookie: string): Promise<boolean> {
    const browser = browserClient({ base: origin, port })
    browser.plantCookie(`${cookie}; Path=/; Domain=${DOMAIN}; Secure`, origin)
    return (await browser.get('/auth/login')).status === 200
  }
  if (!(await isAsked('nobody=here'))) throw new Error('a browser without a session is not asked')
  return {
    async lost() {
      const asked = await Promise.all(cookies.map(isAsked))
      return asked.filter(Boolean).length
    },
  }
}
