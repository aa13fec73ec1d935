import { createHmac } from 'node:crypto'
import { type Instance, originOfApp } from '@svc/platform'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { createInstance } from '../../src/create-instance.ts'
import type { TestHost } from './test-host.ts'

export const PASSPHRASE = 'correct horse battery staple'

/** An owner with a passphrase, logged in in a browser. */
export interface OwnerVisit {
  readonly instance: Instance
  readonly context: BrowserContext
  readonly page: Page
  /** What went wrong in the page: errors of scripts, and what the console complained about. */
  readonly faults: string[]
  app(slug: string): string
  /** Gives the passphrase on the page that asks for it once more. */
  confirm(on?: Page): Promise<void>
  /** The first group that the expression finds in the newest mail whose subject matches. */
  mailed(subject: RegExp, wanted: RegExp): Promise<string>
  close(): Promise<void>
}

export interface OwnerVisitOptions {
  readonly locale?: string
  readonly look?: Parameters<Browser['newContext']>[0]
}

/** A new instance on the host; the browser must lead its names there. */
export async function visitOwner(
  { host }: TestHost,
  browser: Browser,
  domain: string,
  { locale = 'en', look = {} }: OwnerVisitOptions = {},
): Promise<OwnerVisit> {
  const { app } = host
  const { instance } = await createInstance(
    app,
    { domain, email: 'alice@mail.example', publicName: 'Alice', locale },
    PASSPHRASE,
  )
  const context = await browser.newContext(look)
  const { cookie } = await app.ui.owners.createSession(instance)
  await context.addCookies([
    { name: cookie.name, value: cookie.value, domain: `.${domain}`, path: '/' },
  ])
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // An answer that refuses is part of the interface; the browser reports each as a resource that failed.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isRefusal) faults.push(message.text())
  })
  return {
    instance,
    context,
    page,
    faults,
    app: (slug) => originOfApp(instance, slug),
    async confirm(on = page) {
      await on.waitForURL((url) => url.pathname === '/auth/confirm')
      await on.locator('#passphrase').fill(PASSPHRASE)
      await on.locator('main form button[type=submit]').first().click()
    },
    async mailed(subject, wanted) {
      await app.ui.close() // Mails under way.
      const mails = (await app.mailbox?.list(instance)) ?? []
      const mail = mails.find((kept) => subject.test(kept.mail.subject))?.mail
      const found = wanted.exec(mail?.text ?? '')?.[1]
      if (found === undefined) throw new Error(`no ${wanted} in a mail ${subject}`)
      return found
    },
    close: () => context.close(),
  }
}

/** What an authenticator app shows for a key. @see RFC 6238 */
export function totpCode(secret: string, atMs: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)))
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

function fromBase32(text: string): Buffer {
  const bits = [...text.replace(/[\s=]/g, '')]
    .map((letter) =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    )
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
