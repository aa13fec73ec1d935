import type { AuthUiServices } from '../services.ts'
import { type Instance, randomId } from '@svc/platform'
import { type Change, indexKey, type Key, secretKey } from '@svc/store'
import type { Context } from 'koa'
import { readCookies, writeCookie } from '../web/cookies.ts'
import type { Owner } from '../owner/owner.ts'
import { inOrder } from './login-history.ts'

const SECRET = /^[A-Za-z0-9_-]{22}$/

/**
 * The device's secret when the request comes from a browser that logged in before; it dies with the passphrase.
 * Failures of strangers do not lock such a browser out, and that is all the cookie is good for.
 * @see login.md 4.7
 */
export async function findKnownDevice(
  services: AuthUiServices,
  ctx: Context,
  owner: Owner,
): Promise<string | undefined> {
  const instance = instanceOf(ctx)
  for (const secret of readCookies(ctx, cookieName(instance))) {
    if (!SECRET.test(secret)) continue
    const record = await services.store.get<{ stamp: string }>(keyOf(instance, secret))
    if (record?.value.stamp === owner.securityStamp) return secret
  }
  return undefined
}

/** Makes this browser a known one: the change to write, and the cookie to set once it is written. */
export async function rememberDevice(
  services: AuthUiServices,
  ctx: Context,
  owner: Owner,
): Promise<{ readonly change: Change; setCookie(): void }> {
  const instance = instanceOf(ctx)
  const secret = (await findKnownDevice(services, ctx, owner)) ?? randomId()
  const now = services.clock.now()
  return {
    change: {
      op: 'put',
      key: keyOf(instance, secret),
      value: { stamp: owner.securityStamp },
      expiresAt: now + services.lifetimes.knownDevice,
      // By the last login, so that it is seen which one was not used for longest.
      indexes: [{ index: indexKey(instance.id, 'known-devices'), sort: inOrder(now) }],
    },
    setCookie: () =>
      writeCookie(ctx, cookieName(instance), secret, {
        path: '/auth',
        maxAgeMs: services.lifetimes.knownDevice,
        secure: instance.isHttps,
      }),
  }
}

function cookieName(instance: Instance): string {
  return instance.isHttps ? '__Secure-svcknown' : 'svcknown'
}

function keyOf(instance: Instance, secret: string): Key {
  return secretKey(instance.id, 'known-device', secret)
}

function instanceOf(ctx: Context): Instance {
  // Everything here runs behind `resolveInstance`.
  return ctx.state['instance'] as Instance
}
