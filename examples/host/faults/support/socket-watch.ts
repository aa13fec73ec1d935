import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { DOMAIN } from './owner.ts'
import { type LoadClient, TYPE } from './steady-load.ts'

/** Websockets that come back when they are closed, as the one of an app does. */
export interface SocketWatch {
  /** How long each one was away, milliseconds. */
  readonly awayMs: readonly number[]
  /** Close codes, and how often each was seen. */
  readonly codes: Readonly<Record<string, number>>
  /** Closes them. @returns how many were open and subscribed */
  stop(): Promise<number>
}

/** Between two tries to connect. Milliseconds. */
const RETRY_MS = 500
const ANSWER_MS = 5000

/** Opens a websocket for each client, through the proxy; resolves once all listen. */
export async function watchSockets(
  port: number,
  clients: readonly LoadClient[],
): Promise<SocketWatch> {
  const awayMs: number[] = []
  const codes: Record<string, number> = {}
  const listening = new Set<WebSocket>()
  const over = new AbortController()

  async function open(client: LoadClient): Promise<WebSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime/`, {
      headers: { host: DOMAIN },
    })
    const signal = AbortSignal.timeout(ANSWER_MS)
    try {
      await once(socket, 'open', { signal })
      socket.send(JSON.stringify({ method: 'AUTH', payload: client.token }))
      socket.send(JSON.stringify({ method: 'SUBSCRIBE', payload: { type: TYPE } }))
      // Answered with an error, behind the others; events of the load may come before.
      socket.send(JSON.stringify({ method: 'ping' }))
      for (;;) {
        const [data] = (await once(socket, 'message', { signal })) as [Buffer] // of a message event
        if (String(data).includes('ping method')) return socket
      }
    } catch (error) {
      socket.on('error', () => {})
      socket.terminate()
      throw error
    }
  }

  async function openAgain(client: LoadClient): Promise<WebSocket | undefined> {
    while (!over.signal.aborted) {
      try {
        return await open(client)
      } catch {
        await pause(RETRY_MS)
      }
    }
    return undefined
  }

  async function keep(client: LoadClient, first: WebSocket): Promise<void> {
    for (let socket: WebSocket | undefined = first; socket !== undefined; ) {
      listening.add(socket)
      const [code] = (await once(socket, 'close')) as [number] // of a close event
      listening.delete(socket)
      if (over.signal.aborted) return
      codes[code] = (codes[code] ?? 0) + 1
      const closedAt = performance.now()
      socket = await openAgain(client)
      if (socket !== undefined) awayMs.push(performance.now() - closedAt)
    }
  }

  const first = await Promise.all(clients.map(open))
  const kept = clients.map((client, at) => keep(client, first[at] as WebSocket)) // one for each client
  return {
    awayMs,
    codes,
    async stop() {
      over.abort()
      const count = listening.size
      for (const socket of listening) socket.terminate()
      await Promise.all(kept)
      return count
    },
  }
}
