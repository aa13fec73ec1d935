import { type Instance, type Keyring, MINUTE_MS } from '@svc/platform'
import type { Context } from 'koa'
import { readCookies, writeCookie } from '../web/cookies.ts'
import { openMac, sealMac } from '../web/mac.ts'

/**
 * Word that a new passphrase was taken, left by the form for the log-in page that follows. A cookie under the
 * instance's own key carries it: no link and no sibling host can make the page say so falsely.
 * OPEN(0228): how the owner hears of it.
 */
export interface RenewedNotice {
  /** Leaves it in the browser whose form was taken. */
  leave(ctx: Context): Promise<void>
  /** Whether it was left a moment ago; it is told once. */
  take(ctx: Context): Promise<boolean>
}

/** What {@link createRenewedNotice} needs. */
export interface RenewedNoticeOptions {
  readonly keyring: Keyring
  readonly clock: { now(): number }
}

const LIFETIME_MS = 10 * MINUTE_MS
const PURPOSE = { name: 'passphrase-renewed' }
/** The only page that tells it. */
const PATH = '/auth/login'

/** The key is that of the new passphrase: a change in between makes the word void. */
export function createRenewedNotice({ keyring, clock }: RenewedNoticeOptions): RenewedNotice {
  const secretOf = async (ctx: Context): Promise<Uint8Array> =>
    (await keyring.current(instanceOf(ctx), 'session')).secret

  return {
    async leave(ctx) {
      const timeS = Math.floor(clock.now() / 1000)
      write(ctx, sealMac(await secretOf(ctx), PURPOSE, new Uint8Array(), timeS), LIFETIME_MS)
    },
    async take(ctx) {
      const left = readCookies(ctx, cookieName(instanceOf(ctx)))
      if (left.length === 0) return false
      const secret = await secretOf(ctx)
      const isFresh = left.some((value) => {
        const message = openMac(secret, PURPOSE, value)
        return message !== undefined && clock.now() - message.timeS * 1000 <= LIFETIME_MS
      })
      // SPEC: login.md 4.1 - HEAD has no side effect.
      if (isFresh && ctx.method !== 'HEAD') write(ctx, '', 0)
      return isFresh
    },
  }
}

function write(ctx: Context, value: string, maxAgeMs: number): void {
  const instance = instanceOf(ctx)
  writeCookie(ctx, cookieName(instance), value, { path: PATH, maxAgeMs, secure: instance.isHttps })
}

function cookieName({ isHttps }: Instance): string {
  return isHttps ? '__Secure-svcrenewed' : 'svcrenewed'
}

function instanceOf(ctx: Context): Instance {
  // Both pages run behind `resolveInstance`.
  return ctx.state['instance'] as Instance
}
