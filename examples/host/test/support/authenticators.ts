import { addAuthenticator, scaledLimit, until } from '@svc/testkit'
import type { Page } from 'playwright-core'
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

/** A device of the page that makes and keeps passkeys. It is lost with the page. */
export interface PasskeyDevice {
  /** Whether its owner is there: answers at once, also where the page only offers passkeys in a list. */
  answers(isThere: boolean): Promise<void>
  /** Whether it knows its owner by finger, face or PIN. */
  verifies(isVerified: boolean): Promise<void>
  /** Puts the counter of every passkey to a value, as that of a copy stands. */
  setCounters(signCount: number): Promise<void>
  /** Remembers what it holds. @returns puts that back, and nothing else */
  keep(): Promise<() => Promise<void>>
}

/** The page's device answers for its owner at once, until it is told not to. */
export async function addPasskeyDevice(page: Page): Promise<PasskeyDevice> {
  const { session: devtools, authenticatorId } = await addAuthenticator(page)
  // The types of the protocol are not exported: they are those of the answer.
  const ask = () => devtools.send('WebAuthn.getCredentials', { authenticatorId })
  type Credentials = Awaited<ReturnType<typeof ask>>['credentials']
  const credentials = async (): Promise<Credentials> => (await ask()).credentials
  async function replace(others: Credentials): Promise<void> {
    await devtools.send('WebAuthn.clearCredentials', { authenticatorId })
    for (const credential of others) {
      await devtools.send('WebAuthn.addCredential', { authenticatorId, credential })
    }
  }
  return {
    async answers(enabled) {
      await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    async verifies(isUserVerified) {
      await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    async setCounters(signCount) {
      const kept = await credentials()
      await replace(kept.map((credential) => ({ ...credential, signCount })))
    },
    async keep() {
      const kept = await credentials()
      return () => replace(kept)
    },
  }
}
