import { randomBytes } from 'node:crypto'

/** What every server of the benchmark is, seen from the harness. */
export interface BenchServer {
  readonly port: number
  /**
   * Whole requests of a job. Those of `refresh`, the pages and documents may be sent again and again; every code and
   * every registration is of one request.
   * @throws TypeError for a job that this server does not have
   */
  prepare(job: BenchJob, count: number): Promise<readonly string[]>
  close?(): Promise<void>
}

export const BENCH_JOBS = [
  'exchange',
  'refresh',
  'registration',
  'log-in page',
  'consent page',
  'document',
  'route',
] as const

export type BenchJob = (typeof BENCH_JOBS)[number]

/** Jobs whose requests are good for one time. */
export const ONCE: readonly BenchJob[] = ['exchange', 'registration']

export function notServed(job: BenchJob): TypeError {
  return new TypeError(`nothing here answers "${job}"`)
}

export interface BenchClient {
  readonly id: string
  readonly secret: string
}

export const SCOPE = 'io.svc.contacts io.svc.files:GET'
export const REDIRECT_URI = 'https://client.example/callback'
/** S256 challenge and verifier of every code: what a client that follows RFC 9700 sends. */
export const VERIFIER: string = 'v'.repeat(43)

/**
 * How many clients share the requests: as many as the bare engine keeps parsed (its cache holds 100), at most 20
 * grants each.
 */
export const CLIENTS = 90

/** Clients that one instance is given which nobody allows: it takes a hundred. */
export const PENDING = 50

export function exchangeForm(client: BenchClient, code: string): string {
  return new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: client.id,
    client_secret: client.secret,
    code,
    code_verifier: VERIFIER,
    redirect_uri: REDIRECT_URI,
  }).toString()
}

export function refreshForm(client: BenchClient, token: string): string {
  return new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: client.id,
    client_secret: client.secret,
    refresh_token: token,
  }).toString()
}

/** Makes bodies a few at a time, in order: the grants of a client are not made at once. */
export async function mintAll(
  count: number,
  mint: (index: number) => Promise<string>,
): Promise<readonly string[]> {
  const bodies: string[] = []
  for (let from = 0; from < count; from += 30) {
    const some = Array.from({ length: Math.min(30, count - from) }, (_, i) => mint(from + i))
    bodies.push(...(await Promise.all(some)))
  }
  return bodies
}

export interface RawRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly host: string
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: 'application/json' | 'application/x-www-form-urlencoded'
  readonly body?: string
}

/** A request as it goes over the wire. */
export function toMessage({ method, path, host, headers, type, body }: RawRequest): string {
  const all = {
    Host: host,
    Accept:
      method === 'GET' && headers?.['Authorization'] === undefined
        ? 'text/html'
        : 'application/json',
    ...headers,
    ...(type !== undefined && { 'Content-Type': type }),
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/** A request of the token endpoint. */
export function toTokenMessage(host: string, body: string): string {
  const type = 'application/x-www-form-urlencoded'
  return toMessage({ method: 'POST', path: '/auth/access_token', host, type, body })
}

/** A registration that no other one has the name of. */
export function toRegistration(host: string, more: Readonly<Record<string, string>> = {}): string {
  const name = `Bench ${randomBytes(9).toString('base64url')}`
  const body = JSON.stringify({
    redirect_uris: [REDIRECT_URI],
    client_name: name,
    software_id: 'github.com/example/bench',
    ...more,
  })
  const type = 'application/json'
  return toMessage({ method: 'POST', path: '/auth/register', host, type, body })
}
