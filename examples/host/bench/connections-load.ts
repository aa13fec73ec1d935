import { connect, type Socket } from 'node:net'

/** What the harness asks this process: sockets that are up to no good, spread over so many addresses. */
export interface HostileRequest {
  readonly port: number
  readonly count: number
  readonly addresses: number
  /** What each sends at once. Nothing is ever read. */
  readonly text: string
}

// Of its own process, so that its work is not taken for a delay of the server. They stay open until it ends.
const sockets: Socket[] = []

process.on('message', (request: HostileRequest) => {
  void openAll(request).then(() => process.send?.(true))
})
process.once('disconnect', () => process.exit())
process.send?.(true)

async function openAll({ port, count, addresses, text }: HostileRequest): Promise<void> {
  const opened = await Promise.all(
    Array.from({ length: count }, (_, at) => open(port, `127.0.0.${(at % addresses) + 1}`)),
  )
  for (const socket of opened) if (socket.writable) socket.write(text)
  sockets.push(...opened)
}

function open(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
  socket.pause().on('error', () => {})
  // Those that are refused close before, or soon after.
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket)).once('close', () => resolve(socket))
  })
}
