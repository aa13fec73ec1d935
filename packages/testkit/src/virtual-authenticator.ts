import type { CDPSession, Page } from 'playwright-core'

/** A device that the browser simulates, and what steers it. */
export interface VirtualAuthenticator {
  readonly session: CDPSession
  readonly authenticatorId: string
}

/** Gives the page a device that makes and keeps passkeys, knows its owner and answers at once. */
export async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { session, authenticatorId }
}
