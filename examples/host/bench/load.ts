import { connect } from 'node:net'

/** One measured load: each body is sent once, over a few connections that stay open. */
export interface LoadRequest {
  readonly port: number
  readonly host: string
  readonly bodies: readonly string[]
  readonly requests: number
  readonly connections: number
}

export interface LoadResult {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers other than 200, and the first of them. */
  readonly failed: number
  readonly firstFailure?: string
}

// A load generator in a process of its own, on bare sockets so that it does not become the bottleneck.
process.on('message', (request: LoadRequest) => {
  run(request).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.once('disconnect', () => process.exit())
process.send?.(true)

async function run({
  port,
  host,
  bodies,
  requests,
  connections,
}: LoadRequest): Promise<LoadResult> {
  const messages = bodies.map((body) =>
    Buffer.from(
      `POST /auth/access_token HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
        `Accept: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
  )
  const latencies: number[] = []
  let next = 0
  let failed = 0
  let firstFailure: string | undefined
  const started = performance.now()

  function worker(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay()
      let sentAt = 0
      let received = ''
      const send = (): void => {
        if (next >= requests) {
          socket.end()
          resolve()
          return
        }
        sentAt = performance.now()
        socket.write(messages[next % messages.length] ?? '')
        next += 1
      }
      socket.setEncoding('latin1')
      socket.on('data', (chunk: string) => {
        received += chunk
        const end = received.indexOf('\r\n\r\n')
        if (end === -1) return
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN)
        if (!(received.length >= end + 4 + length)) return
        latencies.push(performance.now() - sentAt)
        if (!received.startsWith('HTTP/1.1 200')) {
          failed += 1
          firstFailure ??= received
        }
        received = ''
        send()
      })
      socket.once('error', reject)
      socket.once('connect', send)
    })
  }

  await Promise.all(Array.from({ length: connections }, worker))
  const elapsedS = (performance.now() - started) / 1000
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  return {
    requestsPerSecond: requests / elapsedS,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failed,
    ...(firstFailure === undefined ? {} : { firstFailure }),
  }
}
