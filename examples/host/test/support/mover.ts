import { relyingParty } from '@svc/testkit'
import { openCallbackServer } from './callback-server.ts'

/** A server that an owner moves to. */
export interface Mover {
  /** Where it sends the browser. */
  readonly url: string
  /** Waits until the browser came back: what it brought, and what its code was good for. */
  isAnswered(): Promise<{ readonly answer: URLSearchParams; readonly scope: string | undefined }>
  close(): Promise<void>
}

/** How the server calls itself. */
export const MOVER_NAME = 'Removals'

/** Registers it and prepares its request. @see oauth.md 5.10 */
export async function openMover(origin: string, port: number): Promise<Mover> {
  const { redirectUri, nextVisit, close } = await openCallbackServer()
  const metadata = { client_name: MOVER_NAME }
  const party = relyingParty({ issuer: origin, port, redirectUri, metadata })
  const { client_id } = await party.register()
  const pending = await party.authorize({ scope: '', pkce: false })
  const { state } = pending
  const query = new URLSearchParams({ client_id, redirect_uri: redirectUri, state })
  return {
    url: `${origin}/auth/authorize/move?${query.toString()}`,
    async isAnswered() {
      const visit = await nextVisit()
      const { scope } = await party.exchange(visit, pending)
      return { answer: new URL(visit).searchParams, scope }
    },
    close,
  }
}
