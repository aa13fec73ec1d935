import { scaledLimit, until } from '@svc/testkit'
import type { CDPSession, Page } from 'playwright-core'
import { totpCode } from './owner-visit.ts'

const STEP_MS = 30_000
/** Closer to its end than this a step is left out: the code has to travel. */
const MARGIN_MS = scaledLimit(3000)

/**
 * An authenticator app. Each call shows a code that was not used before. The server takes one step around now, so that
 * three of them rarely have to wait for the next step.
 * @param key - base32, as the settings show it
 */
export function authenticatorApp(key: string): () => Promise<string> {
  let last = 0
  return async function nextCode() {
    last = await until(
      () => {
        const now = Date.now()
        const present = Math.floor(now / STEP_MS)
        const isEnding = now % STEP_MS > STEP_MS - MARGIN_MS
        const next = Math.max(isEnding ? present : present - 1, last + 1)
        return next <= present + 1 && next
      },
      { limitMs: STEP_MS },
    )
    return totpCode(key, last * STEP_MS)
  }
}

/** The page's device makes and keeps passkeys, and answers for its owner at once. It is lost with the page. */
export async function addPasskeyDevice(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return devtools
}
