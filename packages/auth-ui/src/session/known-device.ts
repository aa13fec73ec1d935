import type { AuthUiServices } from '../services.ts'
import { type Instance, randomId } from '@svc/platform'
import { type Change, indexKey, type Key, secretKey } from '@svc/store'
import type { Context } from 'koa'
import { readCookies, writeCookie } from '../web/cookies.ts'
import type { Owner } from '../owner/owner.ts'
import { inOrder } from './login-history.ts'
import type { DeviceId } from './session.ts'

const SECRET = /^[A-Za-z0-9_-]{22}$/

/** A browser that logged in before. */
export interface KnownDevice {
  /** What its cookie carries. */
  readonly secret: string
  readonly id: DeviceId
}

type DeviceRecord = {
  readonly stamp: string
  /** Absent in records from before browsers had ids. */
  readonly id?: DeviceId
}

/** What a request's browser is called: asked twice, it is the same. */
const chosen = new WeakMap<Context, Promise<KnownDevice>>()

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
  return (await find(services, ctx, owner))?.secret
}

/** The browser of this request, under the id that it has or is about to get. */
export function deviceOf(
  services: AuthUiServices,
  ctx: Context,
  owner: Owner,
): Promise<KnownDevice> {
  const known = chosen.get(ctx)
  if (known !== undefined) return known
  const device = choose(services, ctx, owner)
  chosen.set(ctx, device)
  return device
}

async function choose(services: AuthUiServices, ctx: Context, owner: Owner): Promise<KnownDevice> {
  const found = await find(services, ctx, owner)
  return { secret: found?.secret ?? randomId(), id: found?.id ?? (randomId() as DeviceId) }
}

async function find(
  { store }: Pick<AuthUiServices, 'store'>,
  ctx: Context,
  owner: Owner,
): Promise<Partial<KnownDevice> | undefined> {
  const instance = instanceOf(ctx)
  for (const secret of readCookies(ctx, cookieName(instance))) {
    if (!SECRET.test(secret)) continue
    const record = await store.get<DeviceRecord>(keyOf(instance, secret))
    if (record?.value.stamp !== owner.securityStamp) continue
    const { id } = record.value
    return { secret, ...(id === undefined ? {} : { id }) }
  }
  return undefined
}

/** Makes a browser a stranger again. False when none has this id. */
export async function forgetKnownDevice(
  { store }: Pick<AuthUiServices, 'store'>,
  instance: Instance,
  id: string,
): Promise<boolean> {
  let cursor: string | undefined
  do {
    const page = await store.list<DeviceRecord>(
      indexKey(instance.id, 'known-devices'),
      cursor === undefined ? {} : { cursor },
    )
    const record = page.records.find(({ value }) => value.id === id)
    if (record !== undefined) {
      return (await store.write([{ op: 'delete', key: record.key, ifPresent: true }])).written
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return false
}

/** Makes this browser a known one: the change to write, and the cookie to set once it is written. */
export async function rememberDevice(
  services: AuthUiServices,
  ctx: Context,
  owner: Owner,
): Promise<{ readonly id: DeviceId; readonly change: Change; setCookie(): void }> {
  const instance = instanceOf(ctx)
  const { secret, id } = await deviceOf(services, ctx, owner)
  const now = services.clock.now()
  return {
    id,
    change: {
      op: 'put',
      key: keyOf(instance, secret),
      value: { stamp: owner.securityStamp, id },
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
