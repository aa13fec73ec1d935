import { createHash } from 'node:crypto'
import type { Instance, Keyring } from '@svc/platform'
import type { Context } from 'koa'
import { readCookies, writeCookie } from '../web/cookies.ts'
import { type MacPurpose, openMac, sealMac } from '../web/mac.ts'
import type { StoredHash } from '../owner/stored-hash.ts'
import { isPermId, type Shares } from './shares.ts'

/** Whether the browser of a request may use a link: for resources that are shared by it. */
export type HasShareCookie = (ctx: Context, permId: string) => Promise<boolean>

/** Cookies of browsers that knew the password of a link. @see oauth.md 9 */
export interface ShareCookies {
  /** True, too, for a link without a password; false for an unknown one. */
  has: HasShareCookie
  /** Until the browser closes, and as long as the link has this password. */
  set(ctx: Context, permId: string, password: StoredHash): Promise<void>
}

/** What {@link createShareCookies} needs. */
export interface ShareCookiesOptions {
  readonly shares: Shares
  readonly keyring: Keyring
  readonly clock: { now(): number }
}

/** A MAC over the link and a digest of its password's hash: another password, and the cookie opens nothing. */
export function createShareCookies({ shares, keyring, clock }: ShareCookiesOptions): ShareCookies {
  return {
    async has(ctx, permId) {
      const instance = instanceOf(ctx)
      const share = isPermId(permId) ? await shares.find(instance, permId) : undefined
      if (share === undefined) return false
      if (share.password === undefined) return true
      const digest = digestOf(share.password)
      const { secret } = await keyring.current(instance, 'session')
      return readCookies(ctx, nameOf(permId)).some(
        (value) => openMac(secret, purposeOf(permId), value)?.value.equals(digest) === true,
      )
    },

    async set(ctx, permId, password) {
      const instance = instanceOf(ctx)
      const { secret } = await keyring.current(instance, 'session')
      const timeS = Math.floor(clock.now() / 1000)
      const value = sealMac(secret, purposeOf(permId), digestOf(password), timeS)
      const domain = domainOf(instance)
      writeCookie(ctx, nameOf(permId), value, {
        path: '/',
        secure: instance.isHttps,
        ...(domain === undefined ? {} : { domain }),
      })
    },
  }
}

function nameOf(permId: string): string {
  return `pass${permId}`
}

function purposeOf(permId: string): MacPurpose {
  return { name: 'share-by-link', additional: `:${permId}:` }
}

function digestOf({ algorithm, value }: StoredHash): Buffer {
  return createHash('sha256').update(`${algorithm}:${value}`).digest()
}

/** Nested app hosts are reached; flat ones are neighbours, of whom some are strangers. */
function domainOf({ subdomains, domain }: Instance): string | undefined {
  return subdomains === 'nested' ? domain.replace(/:\d+$/, '') : undefined
}

function instanceOf(ctx: Context): Instance {
  // Everything here runs behind `resolveInstance`.
  return ctx.state['instance'] as Instance
}
