/** What both token servers are, seen from the harness. */
export interface BenchServer {
  readonly port: number
  /** The Host header of requests. */
  readonly host: string
  /** Bodies for `POST /auth/access_token`: each a refresh of a live token, or a code that was not used. */
  prepare(grant: BenchGrant, count: number): Promise<readonly string[]>
}

export type BenchGrant = 'exchange' | 'refresh'

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
