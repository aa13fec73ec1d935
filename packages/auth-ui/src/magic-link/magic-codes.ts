import { createHash } from 'node:crypto'
import type { Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import { createOneTimeValues } from '../owner/one-time-values.ts'
import type { Owner } from '../owner/owner.ts'

/** What is known of a code that is good. */
export interface MagicCode {
  /** SHA-256 of the secret of the browser that asked, hexadecimal; empty when nobody's browser did. */
  readonly browser: string
  /** Where the link was asked to lead, normalised; absent when nobody said. */
  readonly redirect?: string
}

/** Who asked for a link, and what for. */
export interface AskedLink {
  /** Secret of the browser that asks. */
  readonly browser: string
  readonly redirect?: string
}

/** Codes of mailed links. They die with the passphrase, and mean nothing while magic links are off. */
export interface MagicCodes {
  /** @param asked - absent when no browser asks @returns 32 letters and digits */
  create(instance: Instance, owner: Owner, asked?: AskedLink): Promise<string>
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
  const values = createOneTimeValues<Stored>({
    store,
    clock,
    kind: 'magic-code',
    form: 'alphanumeric',
    lifetimeMs: lifetimes.magicCode,
  })
  return {
    create: (instance, owner, asked) =>
      values.create(instance, owner, {
        browser: asked === undefined ? '' : hashOf(asked.browser),
        ...(asked?.redirect === undefined ? {} : { redirect: asked.redirect }),
      }),
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

/** A code as a type, which has the index signature that JSON needs. */
type Stored = { readonly [Name in keyof MagicCode]: MagicCode[Name] }
