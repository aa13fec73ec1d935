import type { KeyObject } from 'node:crypto'
import type { AuthUiServices } from '../services.ts'
import { type Instance, MINUTE_MS } from '@svc/platform'
import type { Context } from 'koa'
import { readCookies, writeCookie } from '../web/cookies.ts'
import { openMac, sealMac } from '../web/mac.ts'

const LIFETIME_MS = 10 * MINUTE_MS
const PURPOSE = { name: 'passphrase-renewed' }
/** The only page that tells it. */
const PATH = '/auth/login'

/**
 * Leaves word, in the browser whose form was taken, that a new passphrase was taken: for the login page that follows. A
 * cookie under the instance's own key carries it: no link and no sibling host can make the page say so falsely. The key
 * is that of the new passphrase: a change in between makes the word void.
 * OPEN(0228): how the owner hears of it.
 */
export async function leaveRenewedNotice(services: AuthUiServices, ctx: Context): Promise<void> {
  const timeS = Math.floor(services.clock.now() / 1000)
  write(ctx, sealMac(await keyOf(services, ctx), PURPOSE, new Uint8Array(), timeS), LIFETIME_MS)
}

/** Whether it was left a moment ago; it is told once. */
export async function takeRenewedNotice(services: AuthUiServices, ctx: Context): Promise<boolean> {
  const left = readCookies(ctx, cookieName(instanceOf(ctx)))
  if (left.length === 0) return false
  const key = await keyOf(services, ctx)
  const isFresh = left.some((value) => {
    const message = openMac(key, PURPOSE, value)
    return message !== undefined && services.clock.now() - message.timeS * 1000 <= LIFETIME_MS
  })
  // SPEC: login.md 4.1 - HEAD has no side effect.
  if (isFresh && ctx.method !== 'HEAD') write(ctx, '', 0)
  return isFresh
}

async function keyOf({ keyring }: AuthUiServices, ctx: Context): Promise<KeyObject> {
  return (await keyring.current(instanceOf(ctx), 'session')).messageKey
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
