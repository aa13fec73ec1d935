import type { WebSocket } from 'ws'
import type { Lifetimes } from '../lifetimes.ts'

/**
 * Pings, and cuts a connection whose client does not answer; frames with data are no answer.
 * @param onBeat - called with each ping
 * @returns what stops it
 * @see realtime.md 5
 */
export function startHeartbeat(
  socket: WebSocket,
  lifetimes: Pick<Lifetimes, 'ping' | 'pong'>,
  onBeat: () => void,
): () => void {
  const ping = setInterval(() => {
    socket.ping()
    onBeat()
  }, lifetimes.ping)
  const wait = setTimeout(() => socket.terminate(), lifetimes.pong)
  ping.unref()
  wait.unref()
  const answered = (): void => void wait.refresh()
  socket.on('pong', answered)

  return () => {
    clearInterval(ping)
    clearTimeout(wait)
    socket.off('pong', answered)
  }
}
