import {
  type LoopbackFetch,
  loopbackFetch,
  type PendingAuthorization,
  type RelyingParty,
  relyingParty,
  scaledLimit,
} from '@svc/testkit'
import { expect } from 'chai'
import { openCallbackServer } from './callback-server.ts'
import { closeAfterTest } from './for-test.ts'

/** What a client waits for while the owner is on the pages of the instance. */
export interface ClientRequest {
  /** Where the client sent the browser. */
  readonly url: string
  readonly clientId: string
  /** Registers the client again and asks the same: with another address, and the same state. */
  renew(): Promise<void>
  /** Asks for something else, as the client that it is by now. */
  ask(scope: string): Promise<void>
  /** Waits until the browser came back to the client with the state it had sent, and exchanges the code. */
  isAnswered(): Promise<ClientTokens>
  /** @throws Error of oauth4webapi with its `status` and `error` when it is refused */
  refresh(refreshToken: string): Promise<ClientTokens>
  /** Gives a token back (RFC 7009). */
  revoke(token: string): Promise<void>
  /** Status of a call with an access token. @param path - such as `/data/io.svc.contacts` */
  call(accessToken: string, path: string, options?: CallOptions): Promise<number>
  /** The same, and all of its answer. */
  send(accessToken: string, path: string, options?: CallOptions): Promise<Response>
  /**
   * Calls until it is refused: milliseconds that this took.
   * @throws AssertionError when it takes more than a second, or the refusal is not that of a token that ended
   */
  untilEnded(accessToken: string, path: string, options?: CallOptions): Promise<number>
}

/** What a token answer holds. */
export type ClientTokens = Awaited<ReturnType<RelyingParty['exchange']>>

/** What a client asks for, and how it calls itself. */
export interface ClientRequestOptions {
  /** @defaultValue `io.svc.contacts:GET` */
  readonly scope?: string
  /** @defaultValue {@link CLIENT_NAME} */
  readonly name?: string
  /** What it is a copy of, such as `registry://drive`. @defaultValue the software of an outside client */
  readonly softwareId?: string
  /** Where its callback sends the browser on. @defaultValue it shows a page */
  readonly leadsTo?: string
}

/** How a client calls the instance. */
export interface CallOptions {
  /** @defaultValue `GET` */
  readonly method?: string
  /** Sent as JSON. */
  readonly json?: unknown
  /** Of a process. @defaultValue that of the request */
  readonly port?: number
}

/** Registers a client on this computer and prepares its request; it is there until the end of the test. */
export async function openRequest(
  origin: string,
  port: number,
  options: ClientRequestOptions = {},
): Promise<ClientRequest> {
  const { scope: firstScope = 'io.svc.contacts:GET', name = CLIENT_NAME, softwareId } = options
  const callback = await openCallbackServer(options.leadsTo)
  closeAfterTest(() => callback.close())
  const client = relyingParty({
    issuer: origin,
    port,
    redirectUri: callback.redirectUri,
    metadata: {
      client_name: name,
      client_kind: 'desktop',
      ...(softwareId !== undefined && { software_id: softwareId }),
    },
  })
  const fetches = new Map<number, LoopbackFetch>()
  const fetchFrom = (at: number): LoopbackFetch => {
    const fetch = fetches.get(at) ?? loopbackFetch({ port: at })
    fetches.set(at, fetch)
    return fetch
  }
  async function send(
    accessToken: string,
    path: string,
    { method = 'GET', json, port: at = port }: CallOptions = {},
  ): Promise<Response> {
    return fetchFrom(at)(`${origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
  }
  let scope = firstScope
  const registerAndAsk = async (state?: string): Promise<PendingAuthorization> => {
    await client.register()
    return client.authorize({ scope, ...(state !== undefined && { state }) })
  }
  let pending = await registerAndAsk()
  return {
    get url() {
      return pending.url
    },
    get clientId() {
      return client.client.client_id
    },
    async renew() {
      pending = await registerAndAsk(pending.state)
    },
    async ask(next) {
      scope = next
      pending = await client.authorize({ scope })
    },
    async isAnswered() {
      const answer = await callback.nextVisit()
      expect(new URL(answer).searchParams.get('state')).to.equal(pending.state)
      const tokens = await client.exchange(answer, pending)
      expect(tokens.access_token).to.be.a('string').and.not.equal('')
      return tokens
    },
    refresh: (refreshToken) => client.refresh(refreshToken),
    revoke: (token) => client.revoke(token),
    call: async (...args) => (await send(...args)).status,
    send,
    async untilEnded(...args) {
      const start = performance.now()
      for (;;) {
        const { status, headers } = await send(...args)
        const tookMs = performance.now() - start
        expect(tookMs, `milliseconds, last answer ${status}`).to.be.lessThan(scaledLimit(1000))
        if (status === 200) continue
        expect(status).to.equal(401)
        expect(headers.get('www-authenticate')).to.include('error="invalid_token"')
        return tookMs
      }
    },
  }
}

/** How the client calls itself. */
export const CLIENT_NAME = 'Address Book'
