import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A turn of the event loop that is as short as this did next to nothing. Milliseconds. */
const SHORT_MS = 0.5

/**
 * Resolves in a turn of the event loop that found no new connection a moment ago, so that a server can stop listening.
 * Connections that the system has taken and the process has not are reset then: a proxy that has sent a request on one
 * cannot know whether it was handled, and may not repeat it.
 * @param longestMs - a server that is never quiet stops listening all the same
 */
export async function quietMoment(server: Server, longestMs: number): Promise<void> {
  let connections = 0
  const count = (): void => {
    connections += 1
  }
  server.on('connection', count)
  const startedAt = performance.now()
  try {
    for (let turnAt = startedAt; turnAt - startedAt < longestMs; ) {
      const before = connections
      await nextTurn()
      const now = performance.now()
      if (connections === before && now - turnAt < SHORT_MS) return
      turnAt = now
    }
  } finally {
    server.off('connection', count)
  }
}
