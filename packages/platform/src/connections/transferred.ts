import type { Socket } from 'node:net'

/** What Node knows about the writes of a socket and does not tell in public. */
interface WriteFigures {
  readonly bytesWritten?: number
  readonly writeQueueSize?: number
}

/**
 * How many bytes the system has taken for the client, and how many came from it. `bytesWritten` of a socket counts what
 * was given to it, not what went; a file that is one write would look stuck until its last byte has gone.
 * @param socket - of TCP; below TLS the one that carries it
 */
export function transferredBytes(socket: Socket): { readonly out: number; readonly in: number } {
  // Node's own socket timeout looks at the same figure. Without it only whole writes are seen.
  const handle = (socket as unknown as { readonly _handle?: WriteFigures | null })._handle
  const { bytesWritten = socket.bytesWritten, writeQueueSize = socket.writableLength } =
    handle ?? {}
  return { out: bytesWritten - writeQueueSize, in: socket.bytesRead }
}
