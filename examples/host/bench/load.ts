import { connect, type Socket } from 'node:net'

/**
 * One measured load over a few connections that stay open as long as the server leaves them. It ends after so many
 * requests, or after a while.
 */
export interface LoadRequest {
  readonly port: number
  /** Whole requests, gone round. */
  readonly messages: readonly string[]
  readonly connections: number
  readonly until: { readonly requests: number } | { readonly ms: number }
  /** Requests a second, over all connections. Absent: each connection asks as soon as it was answered. */
  readonly rate?: number
  /**
   * Whether a message always goes over the same connections, so that what stands behind it is asked a few at a time.
   * @defaultValue `false`
   */
  readonly isFixed?: boolean
  /**
   * Whether this process stays awake: waking it would be work of whoever answers it, for there is no network between.
   * For loads of as few processes as there are cores.
   * @defaultValue `false`
   */
  readonly isAwake?: boolean
  /** What a good answer holds besides its status 200 or 201. */
  readonly includes?: string
}

export interface LoadResult {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly answered: number
  /** Answers that are not good, and the first of them. */
  readonly failed: number
  readonly firstFailure?: string
}

const GOOD = /^HTTP\/1\.1 20[01] /
/** The server takes so many requests of a connection. */
const LAST = /^(?:[^\r]+\r\n)+connection: close\r\n/i

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
  messages,
  connections,
  until,
  rate,
  isFixed = false,
  isAwake = false,
  includes = '',
}: LoadRequest): Promise<LoadResult> {
  const whole = messages.map((message) => Buffer.from(message))
  const latencies: number[] = []
  let next = 0
  let failed = 0
  let firstFailure: string | undefined
  const started = performance.now()

  function isOver(dueAt: number): boolean {
    return 'requests' in until ? next >= until.requests : dueAt - started >= until.ms
  }

  function worker(place: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let socket = open()
      let dueAt = 0
      let received = ''
      const send = (): void => {
        const now = performance.now()
        // A request that comes late because the one before was slow has waited since it was due.
        dueAt = rate === undefined ? now : started + (next * 1000) / rate
        if (isOver(Math.max(now, dueAt))) {
          socket.end()
          resolve()
          return
        }
        const message = whole[(isFixed ? place : next) % whole.length] ?? ''
        next += 1
        if (dueAt > now) setTimeout(() => socket.write(message), dueAt - now)
        else socket.write(message)
      }
      function open(): Socket {
        const opened = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1')
        return opened.once('error', reject).on('data', take)
      }
      function take(chunk: string): void {
        received += chunk
        const end = received.indexOf('\r\n\r\n')
        if (end === -1) return
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN)
        if (!(received.length >= end + 4 + length)) return
        latencies.push(performance.now() - dueAt)
        if (!GOOD.test(received) || !received.includes(includes)) {
          failed += 1
          firstFailure ??= received
        }
        if (LAST.test(received)) {
          socket.end()
          socket = open()
        }
        received = ''
        send()
      }
      socket.once('connect', send)
    })
  }

  const letSleep = isAwake ? stayAwake() : () => {}
  try {
    await Promise.all(Array.from({ length: connections }, (_, place) => worker(place)))
  } finally {
    letSleep()
  }
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

/** Turns without a pause until the answered function is called. */
function stayAwake(): () => void {
  let next = setImmediate(function turn() {
    next = setImmediate(turn)
  })
  return () => clearImmediate(next)
}
