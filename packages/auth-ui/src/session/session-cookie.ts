import type { KeyObject } from 'node:crypto'
import type { Instance, Keyring, RequestView } from '@svc/platform'
import type { Context } from 'koa'
import { type CookieAttributes, writeCookie } from '../web/cookies.ts'
import { openMac, sealMac } from '../web/mac.ts'
import { parseSessionId, type SessionId } from './session.ts'

/** The session cookie of one host of an instance. */
export interface SessionCookie extends Omit<CookieAttributes, 'maxAgeMs'> {
  readonly name: string
  /** Slug, on a flat app host. */
  readonly additional: string
}

/** What {@link SessionCookies} needs. */
export interface SessionCookiesOptions {
  readonly keyring: Keyring
  readonly clock: { now(): number }
}

/**
 * Reads and writes session cookies: a MAC over the identifier, nothing else. Sealed with the instance's session key:
 * replacing that ends every cookie. @see login.md 3.5
 */
export class SessionCookies {
  readonly #keyring: Keyring
  readonly #clock: { now(): number }

  constructor({ keyring, clock }: SessionCookiesOptions) {
    this.#keyring = keyring
    this.#clock = clock
  }

  /** Identifiers of the request's cookies that are ours, at most five. An invalid cookie is none. */
  async read({ instance, appSlug, cookies }: RequestView): Promise<readonly SessionId[]> {
    const cookie = sessionCookie(instance, appSlug)
    const values = cookies.all(cookie.name)
    if (values.length === 0) return []
    const { messageKey } = await this.#keyring.current(instance, 'session')
    const ids = new Set<SessionId>()
    for (const value of values) {
      const id = parseSessionId(openMac(messageKey, cookie, value)?.value.toString('latin1') ?? '')
      if (id !== undefined) ids.add(id)
    }
    return [...ids]
  }

  /** The function that sets the cookie on this answer; the key is fetched now. */
  async writer(ctx: Context): Promise<(id: SessionId, maxAgeMs: number | undefined) => void> {
    const { instance, cookie } = hostOf(ctx)
    const { messageKey } = await this.#keyring.current(instance, 'session')
    return (id, maxAgeMs) => {
      writeCookie(ctx, cookie.name, this.#sealed(messageKey, cookie, id), {
        ...cookie,
        ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
      })
    }
  }

  clear(ctx: Context): void {
    const { cookie } = hostOf(ctx)
    writeCookie(ctx, cookie.name, '', { ...cookie, maxAgeMs: 0 })
  }

  /** Name and value for a client that is no browser. */
  async seal(
    instance: Instance,
    id: SessionId,
  ): Promise<{ readonly name: string; readonly value: string }> {
    const cookie = sessionCookie(instance, undefined)
    const { messageKey } = await this.#keyring.current(instance, 'session')
    return { name: cookie.name, value: this.#sealed(messageKey, cookie, id) }
  }

  #sealed(messageKey: KeyObject, cookie: SessionCookie, id: SessionId): string {
    return sealMac(messageKey, cookie, Buffer.from(id), Math.floor(this.#clock.now() / 1000))
  }
}

/**
 * Nested: one cookie on the instance's domain, which covers its app hosts. Flat: one per host, since the parent
 * domain belongs to other instances too.
 * @param appSlug - undefined on the instance's own host
 */
export function sessionCookie(instance: Instance, appSlug: string | undefined): SessionCookie {
  const shared = { path: '/', secure: instance.isHttps }
  if (instance.subdomains === 'nested') {
    const domain = instance.domain.replace(/:\d+$/, '')
    return { ...shared, name: 'svcsessid', additional: '', domain }
  }
  const prefix = instance.isHttps ? '__Host-' : ''
  return appSlug === undefined
    ? { ...shared, name: `${prefix}svcsessid`, additional: '' }
    : { ...shared, name: `${prefix}svcapp`, additional: appSlug }
}

function hostOf(ctx: Context): { instance: Instance; cookie: SessionCookie } {
  // Both are set by `resolveInstance`, behind which everything here runs.
  const instance = ctx.state['instance'] as Instance
  return { instance, cookie: sessionCookie(instance, ctx.state['appSlug'] as string | undefined) }
}
