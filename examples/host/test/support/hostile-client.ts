import { connect, type Socket } from 'node:net'
import { afterTest } from '@svc/testkit'

/** A client that means no good: it sends bytes as they are and does not end its side before the test has ended. */
export interface HostileClient {
  readonly socket: Socket
  /** What it was told so far. */
  said(): string
}

/** @param from - its address, of 127.0.0.0/8 */
export async function openHostile(
  port: number,
  text: string | Buffer = '',
  from = '127.0.0.1',
): Promise<HostileClient> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true })
  let answer = ''
  socket.setEncoding('latin1').on('data', (part: string) => {
    answer += part
  })
  socket.on('error', () => {})
  afterTest(() => socket.destroy())
  // The server may be quicker to end it than the test to see it.
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  if (text.length > 0) socket.write(text)
  return { socket, said: () => answer }
}

/** How many TCP sockets this process has: of the clients of a test, and of the server it runs. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
}

/**
 * Resolves when the server of this process has let go of all its sockets, though no client ended its side.
 * @param clients - all that were opened since
 * @param before - sockets of others, as {@link openSockets} counted them
 * @throws Error after `limitMs`
 */
export async function destroyed(
  clients: readonly HostileClient[],
  before: number,
  limitMs: number,
): Promise<void> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const theirs = clients.filter(({ socket }) => !socket.closed).length
    const left = openSockets() - before - theirs
    if (left <= 0) return
    if (performance.now() > deadline) {
      throw new Error(`${left} are still there after ${limitMs} ms`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
