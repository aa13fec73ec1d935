import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type CsrfRule, equalSecrets, type Instance, type Keyring, randomData } from '@svc/platform'
import type { Context } from 'koa'
import { readCookies, writeCookie } from './cookies.ts'
import { AuthUiError } from '../errors.ts'

const RANDOM_BYTES = 16
const TAG_BYTES = 8
const TOKEN = /^[A-Za-z0-9_-]{32}$/

/** The one CSRF mechanism of all pages: double submit beside an origin check (D12). */
export interface Csrf {
  /**
   * The token of this browser, for the hidden field `csrf_token`; its cookie is sent again for another hour.
   * A HEAD request gets no cookie.
   */
  token(ctx: Context): Promise<string>
  /** The tokens of ours that this browser came with: usually one. */
  known(ctx: Context): Promise<readonly string[]>
  /** @throws AuthUiError `cross_origin`, `csrf_missing`, `csrf_invalid` */
  check(ctx: Context, rule: CsrfRule): void
}

/** What {@link createCsrf} needs. */
export interface CsrfOptions {
  readonly keyring: Keyring
  /** Milliseconds. */
  readonly lifetimeMs: number
}

/** Tokens are made and recognised with the session key: a passphrase change makes new ones. */
export function createCsrf({ keyring, lifetimeMs }: CsrfOptions): Csrf {
  async function token(ctx: Context): Promise<string> {
    const instance = instanceOf(ctx)
    const { hmacKey } = await keyring.current(instance, 'session')
    const value = ours(ctx, hmacKey)[0] ?? create(hmacKey)
    if (ctx.method !== 'HEAD') {
      writeCookie(ctx, cookieName(instance), value, {
        path: '/',
        maxAgeMs: lifetimeMs,
        secure: instance.isHttps,
      })
    }
    return value
  }

  async function known(ctx: Context): Promise<readonly string[]> {
    return ours(ctx, (await keyring.current(instanceOf(ctx), 'session')).hmacKey)
  }

  function check(ctx: Context, rule: CsrfRule): void {
    const instance = instanceOf(ctx)
    if (!isSameOrigin(ctx, instance)) throw new AuthUiError('cross_origin')
    const sent = fieldOf(ctx)
    if (sent === undefined) {
      if (rule === 'token') throw new AuthUiError('csrf_missing')
      return
    }
    const cookies = readCookies(ctx, cookieName(instance)).filter((value) => TOKEN.test(value))
    if (!cookies.some((value) => equalSecrets(value, sent))) throw new AuthUiError('csrf_invalid')
  }

  return { token, known, check }
}

/** @see login.md 3.5 */
function cookieName(instance: Instance): string {
  return instance.isHttps ? '__Host-csrf' : '_csrf'
}

function isSameOrigin(ctx: Context, instance: Instance): boolean {
  const site = ctx.get('Sec-Fetch-Site')
  if (site !== '') return site === 'same-origin' || site === 'none'
  const origin = ctx.get('Origin')
  return origin === '' || origin === instance.origin
}

function fieldOf(ctx: Context): string | undefined {
  const { form, json } = ctx.state as {
    form?: { get(name: string): string | undefined }
    json?: unknown
  }
  const field = form?.get('csrf_token')
  if (field !== undefined || typeof json !== 'object' || json === null) return field
  const member: unknown = Object.hasOwn(json, 'csrf_token')
    ? (json as { csrf_token: unknown }).csrf_token
    : undefined
  if (member === undefined) return undefined
  return typeof member === 'string' ? member : ''
}

function create(key: KeyObject): string {
  const random = randomData(RANDOM_BYTES)
  return Buffer.concat([random, tagOf(key, random)]).toString('base64url')
}

/** A value that we did not make is never adopted, however well formed (login.md 10.9). */
function ours(ctx: Context, key: KeyObject): readonly string[] {
  const values = readCookies(ctx, cookieName(instanceOf(ctx)))
  return values.filter((value) => isOurs(key, value))
}

function isOurs(key: KeyObject, value: string): boolean {
  if (!TOKEN.test(value)) return false
  const bytes = Buffer.from(value, 'base64url')
  return timingSafeEqual(tagOf(key, bytes.subarray(0, RANDOM_BYTES)), bytes.subarray(RANDOM_BYTES))
}

function tagOf(key: KeyObject, random: Uint8Array): Buffer {
  return createHmac('sha256', key).update('csrf').update(random).digest().subarray(0, TAG_BYTES)
}

function instanceOf(ctx: Context): Instance {
  // Rows run behind `resolveInstance`.
  return ctx.state['instance'] as Instance
}
