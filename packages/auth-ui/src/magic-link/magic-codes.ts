import { createHash } from 'node:crypto'
import type { Instance } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { createOneTimeValues } from '../one-time-values.ts'
import type { Owner } from '../owner/owner.ts'

/** What is known of a code that is good. */
export interface MagicCode {
  /** SHA-256 of the secret of the browser that asked, hexadecimal; empty when nobody's browser did. */
  readonly browser: string
}

/** Codes of mailed links. They die with the passphrase, and mean nothing while magic links are off. */
export interface MagicCodes {
  /** @param browser - secret of the browser that asks @returns 32 letters and digits */
  create(instance: Instance, owner: Owner, browser?: string): Promise<string>
  /** Uses nothing up. */
  find(instance: Instance, owner: Owner, code: string): Promise<MagicCode | undefined>
  /** Uses the code up: of N parallel callers exactly one gets `true`. */
  take(instance: Instance, owner: Owner, code: string): Promise<boolean>
}

/** What {@link createMagicCodes} needs. */
export interface MagicCodesOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
}

/** @see login.md 2.3, 5.3 */
export function createMagicCodes({ store, clock, lifetimes }: MagicCodesOptions): MagicCodes {
  const values = createOneTimeValues<{ browser: string }>({
    store,
    clock,
    kind: 'magic-code',
    form: 'alphanumeric',
    lifetimeMs: lifetimes.magicCode,
  })
  return {
    create: (instance, owner, browser) =>
      values.create(instance, owner, { browser: browser === undefined ? '' : hashOf(browser) }),
    async find(instance, owner, code) {
      if (owner.magicLink !== true) return undefined
      return (await values.find(instance, owner, code))?.value
    },
    async take(instance, owner, code) {
      return (await values.take(instance, owner, code)) !== undefined
    },
  }
}

/** Whether one of these secrets is that of the browser that asked for the code. */
export function isOfBrowser(code: MagicCode, secrets: readonly string[]): boolean {
  return code.browser !== '' && secrets.some((secret) => hashOf(secret) === code.browser)
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
