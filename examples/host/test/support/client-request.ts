import { type PendingAuthorization, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { openCallbackServer } from './callback-server.ts'

/** What a client waits for while the owner is on the pages of the instance. */
export interface ClientRequest {
  /** Where the client sent the browser. */
  readonly url: string
  readonly clientId: string
  /** Registers the client again and asks the same: with another address, and the same state. */
  renew(): Promise<void>
  /** Waits until the browser came back to the client with the state it had sent, and exchanges the code. */
  isAnswered(): Promise<void>
  close(): Promise<void>
}

/** Registers a client on this computer and prepares its request. */
export async function openRequest(origin: string, port: number): Promise<ClientRequest> {
  const callback = await openCallbackServer()
  const client = relyingParty({
    ...{ issuer: origin, port, redirectUri: callback.redirectUri },
    metadata: { client_name: CLIENT_NAME, client_kind: 'desktop' },
  })
  const ask = async (state?: string): Promise<PendingAuthorization> => {
    await client.register()
    return client.authorize({ scope: 'io.svc.contacts:GET', ...(state !== undefined && { state }) })
  }
  let pending = await ask()
  return {
    get url() {
      return pending.url
    },
    get clientId() {
      return client.client.client_id
    },
    async renew() {
      pending = await ask(pending.state)
    },
    async isAnswered() {
      const answer = await callback.nextVisit()
      expect(new URL(answer).searchParams.get('state')).to.equal(pending.state)
      const { access_token: token } = await client.exchange(answer, pending)
      expect(token).to.be.a('string').and.not.equal('')
    },
    close: () => callback.close(),
  }
}

/** How the client calls itself. */
export const CLIENT_NAME = 'Address Book'
