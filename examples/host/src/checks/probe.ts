import { randomBytes } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { type Instances, MINUTE_MS, parseAppHost } from '@svc/platform'
import { type Key, recordKey, type Store } from '@svc/store'
import type { Context, Middleware, Next } from 'koa'
import type { ProbeAnswer } from './outside.ts'
import type { Config } from '../config/config.ts'

export interface ProbeOptions {
  readonly config: Pick<Config, 'subdomains' | 'trustProxy'>
  readonly store: Store
  readonly clock: { now(): number }
  readonly instances: Pick<Instances, 'byHost'>
  /** As the limits see it. */
  readonly clientAddress: (ctx: Context) => string
}

/** Shows the operator how a request from outside arrives here. */
export interface Probe {
  /** Answers `GET /health/probe?nonce=…` on every host; everything else passes by. @see operation.md 2.3 */
  readonly middleware: Middleware
  /** A nonce that any process answers to, once, within a minute. */
  makeNonce(): Promise<string>
}

const PATH = '/health/probe'
const NONCE = /^nonce=([A-Za-z0-9_-]{43})$/

export function createProbe(options: ProbeOptions): Probe {
  const { config, store, clock, instances, clientAddress } = options

  async function take(ctx: Context): Promise<boolean> {
    const [, nonce] = NONCE.exec(ctx.querystring) ?? []
    if (ctx.method !== 'GET' || nonce === undefined) return false
    return (await store.take(keyOf(nonce))) !== undefined
  }

  async function describe(ctx: Context): Promise<ProbeAnswer> {
    const host = ctx.get('Host').toLowerCase()
    const forwarded = ctx.get('X-Forwarded-For')
    const direct = await byHost(host)
    const parsed = direct === undefined ? parseAppHost(host, config.subdomains) : undefined
    return {
      instance: direct ?? (parsed === undefined ? undefined : await byHost(parsed.domain)) ?? null,
      app: parsed?.slug ?? null,
      scheme: schemeOf(ctx, config.trustProxy),
      client_address: clientAddress(ctx),
      hops: forwarded === '' ? 0 : forwarded.split(',').length,
    }
  }

  async function byHost(host: string): Promise<string | undefined> {
    return (await instances.byHost(host))?.domain
  }

  async function probe(ctx: Context, next: Next): Promise<void> {
    if (ctx.req.url?.split('?', 1)[0] !== PATH) return next()
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.type = 'application/json; charset=utf-8'
    const isKnown = await take(ctx)
    ctx.status = isKnown ? 200 : 404
    ctx.body = JSON.stringify(isKnown ? await describe(ctx) : { error: 'not_found' })
  }

  return {
    middleware: probe,
    async makeNonce() {
      const nonce = randomBytes(32).toString('base64url')
      const expiresAt = clock.now() + MINUTE_MS
      await store.write([{ op: 'put', key: keyOf(nonce), value: {}, expiresAt, ifAbsent: true }])
      return nonce
    },
  }
}

function keyOf(nonce: string): Key {
  return recordKey('host', 'probe', nonce)
}

/** How the visitor came, as far as this server can tell. */
function schemeOf(ctx: Context, trustProxy: number): 'http' | 'https' {
  const forwarded = ctx.get('X-Forwarded-Proto').split(',').at(-1)?.trim()
  const isTls = (ctx.req.socket as Partial<TLSSocket>).encrypted === true // only sockets of TLS have it
  return (trustProxy > 0 ? forwarded === 'https' : isTls) ? 'https' : 'http'
}
