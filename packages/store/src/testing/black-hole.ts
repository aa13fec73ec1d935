import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can stop passing bytes on without closing anything. */
export interface BlackHole {
  readonly port: number
  /** Swallows every byte, both ways, also of connections made from now on. */
  swallow(): void
  /** Swallows every byte of connections made from now on, and passes those of the others on. */
  swallowNew(): void
  /** Passes bytes of new connections on again; what was swallowed is lost, and its connections stay dead. */
  pass(): void
  /** Passes requests on, but closes a connection instead of passing its next answer. */
  cutNextAnswer(): void
  stop(): Promise<void>
}

/** Starts a proxy on loopback in front of a port of loopback. */
export async function startBlackHole(targetPort: number): Promise<BlackHole> {
  const sockets = new Set<Socket>()
  const poisoned = new WeakSet<Socket>()
  let isSwallowing = false
  let cutsNext = false

  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    if (isSwallowing) poisoned.add(near)
    near.on('data', (data) => {
      if (!poisoned.has(near)) far.write(data)
    })
    far.on('data', (data) => {
      if (cutsNext) {
        cutsNext = false
        near.destroy()
      } else if (!poisoned.has(near)) {
        near.write(data)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    swallow() {
      isSwallowing = true
      for (const socket of sockets) poisoned.add(socket)
    },
    swallowNew() {
      isSwallowing = true
    },
    pass() {
      isSwallowing = false
    },
    cutNextAnswer() {
      cutsNext = true
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
