import { generateKeyPairSync } from 'node:crypto'
import { addAuthenticator, launchChromium, type VirtualAuthenticator } from '@svc/testkit'
import type Koa from 'koa'
import type { Browser, Page } from 'playwright-core'
import { type SampleServer, sampleServer } from './sample-server.ts'

/** What the server answers a form with. */
export type Answer = (ctx: Koa.Context) => void | Promise<void>

/** Real pages in a real browser, on a host where passkeys work. */
export interface BrowserSteps {
  readonly server: SampleServer
  readonly browser: Browser
  /** `http://alice.localhost:<port>`: a secure context. */
  readonly origin: string
  /** What posts are answered with from now on. */
  answer: Answer
  close(): Promise<void>
}

/** The browser goes on to a page that is always there. */
export const accept: Answer = (ctx) => {
  ctx.body = { redirect: '/blocked' }
}

/** An error as the JSON family sends it. */
export function refuse(status: number, code: string): Answer {
  return (ctx) => {
    ctx.status = status
    ctx.body = { error: 'x', code }
  }
}

export async function startBrowserSteps(): Promise<BrowserSteps> {
  const server = await sampleServer({ answer: (ctx) => steps.answer(ctx) })
  const browser = await launchChromium({ port: server.port, domains: ['alice.localhost'] })
  const steps: BrowserSteps = {
    server,
    browser,
    origin: `http://alice.localhost:${server.port}`,
    answer: accept,
    async close() {
      await browser.close()
      await server.close()
    },
  }
  return steps
}

/**
 * Gives the page a simulated device with a passkey.
 * @param credentialId base64url, as the page's options name it
 */
export async function addPasskey(page: Page, credentialId: string): Promise<VirtualAuthenticator> {
  const authenticator = await addAuthenticator(page)
  const { session, authenticatorId } = authenticator
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await session.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: {
      credentialId: Buffer.from(credentialId, 'base64url').toString('base64'),
      isResidentCredential: true,
      rpId: 'alice.localhost',
      userHandle: Buffer.from('alice').toString('base64'),
      privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      signCount: 0,
    },
  })
  return authenticator
}
