import { connect } from 'node:net'

/** Requests over a few connections that stay open, for a while. */
export interface McpLoadRequest {
  readonly port: number
  /** Whole requests, gone round. */
  readonly messages: readonly string[]
  readonly connections: number
  readonly overMs: number
  /** Requests a second, over all connections. Absent: each connection asks as soon as it was answered. */
  readonly rate?: number
}

export interface McpLoadResult {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly answered: number
  /** Answers that are not a document, and the first of them. */
  readonly failed: number
  readonly firstFailure?: string
}

// A load generator in a process of its own, on bare sockets so that it does not become the bottleneck.
process.on('message', (request: McpLoadRequest) => {
  run(request).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.once('disconnect', () => process.exit())
process.send?.(true)

async function run({
  port,
  messages,
  connections,
  overMs,
  rate,
}: McpLoadRequest): Promise<McpLoadResult> {
  const whole = messages.map((message) => Buffer.from(message))
  const latencies: number[] = []
  let failed = 0
  let firstFailure: string | undefined
  let next = 0
  const started = performance.now()

  function worker(place: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay()
      // Each connection has messages of its own, so that a grant's calls spread over a few of them.
      const message = whole[place % whole.length] ?? Buffer.alloc(0)
      let dueAt = 0
      let received = ''
      const write = (): void => void socket.write(message)
      const send = (): void => {
        const now = performance.now()
        // A request that comes late because the one before was slow has waited since it was due.
        dueAt = rate === undefined ? now : started + (next * 1000) / rate
        next += 1
        if (Math.max(now, dueAt) - started >= overMs) {
          socket.end()
          resolve()
        } else if (dueAt > now) setTimeout(write, dueAt - now)
        else write()
      }
      socket.setEncoding('latin1')
      socket.on('data', (chunk: string) => {
        received += chunk
        const end = received.indexOf('\r\n\r\n')
        if (end === -1) return
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN)
        if (!(received.length >= end + 4 + length)) return
        latencies.push(performance.now() - dueAt)
        const isRight =
          received.startsWith('HTTP/1.1 200') && received.includes('"structuredContent"')
        if (!isRight) {
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

  await Promise.all(Array.from({ length: connections }, (_, place) => worker(place)))
  const elapsedS = (performance.now() - started) / 1000
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
  return {
    requestsPerSecond: sorted.length / elapsedS,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    answered: sorted.length,
    failed,
    ...(firstFailure !== undefined && { firstFailure }),
  }
}
