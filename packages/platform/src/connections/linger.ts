import type { Socket } from 'node:net'

/**
 * Ends a connection so that the client can read why: FIN after what was written, then what still arrives is thrown away
 * unparsed, and soon the socket is destroyed. Destroyed at once, the unread rest of a request would make the system send
 * a reset, which many clients report instead of the answer that came before it.
 * @param bounds - `bytes` are read at most, and after `ms` milliseconds it is over
 * @see RFC 9112 section 9.6
 */
export function endAndLinger(
  socket: Socket,
  bounds: { readonly ms: number; readonly bytes: number },
): void {
  const timer = setTimeout(() => socket.destroy(), bounds.ms)
  socket.once('close', () => clearTimeout(timer))
  socket.end()
  let left = bounds.bytes
  function discard(chunk: Buffer): void {
    left -= chunk.length
    // The client cannot send any more, and reads what it was told.
    if (left <= 0) socket.pause()
  }
  function takeOver(): void {
    // A listener of its own takes the bytes away from the HTTP parser.
    socket.removeAllListeners('data')
    socket.on('data', discard)
  }
  if (!socket.isPaused()) {
    takeOver()
    return
  }
  // Once the system reads again: Node lets a socket that is taken from its parser stay as it is.
  socket.once('resume', takeOver)
  socket.resume()
}
