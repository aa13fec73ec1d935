import { once } from 'node:events'
import { scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { WebSocket } from 'ws'

/** A websocket of a client that listens to a type. */
export interface ClientSocket {
  /**
   * Waits until the server closes it.
   * @throws AssertionError when it takes more than a second from now
   */
  isCut(): Promise<void>
  /** Without a word to the server. */
  drop(): void
}

/** Opens a websocket with a token, at a process of this machine, and has it hear of a type. */
export async function openClientSocket(
  { port, domain }: { readonly port: number; readonly domain: string },
  token: string,
  type: string,
): Promise<ClientSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime/`, 'io.cozy.websocket', {
    headers: { host: domain },
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ method: 'AUTH', payload: token }))
  socket.send(JSON.stringify({ method: 'SUBSCRIBE', payload: { type } }))
  // Answered with an error, behind the others.
  socket.send(JSON.stringify({ method: 'ping' }))
  expect(String(await once(socket, 'message'))).to.include('The ping method is not supported')
  const closed = once(socket, 'close')
  return {
    async isCut() {
      const start = performance.now()
      const [code] = (await closed) as [number] // of a close event
      expect(code).to.equal(1008)
      const tookMs = performance.now() - start
      expect(tookMs, 'milliseconds until it was closed').to.be.lessThan(scaledLimit(1000))
    },
    drop: () => socket.terminate(),
  }
}
