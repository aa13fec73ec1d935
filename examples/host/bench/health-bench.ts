import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startChild } from './child.ts'
import { type Figure, median, quantile } from './figure.ts'
import { HEALTH_TARGET_MS, INSTANCES, logInAll, LOGIN_VALUE, open, probe } from './login-bench.ts'
import { toMessage } from './servers/bench-server.ts'

export interface HealthBenchOptions {
  readonly rounds: number
  /** Logins of a round, over all instances. */
  readonly logins: number
  readonly say: (line: string) => void
}

/** Connections whose other end takes no answers, and requests that each has sent. */
const DEAF = 32
const PIPELINED = 200

/**
 * The health route during 32 parallel log-ins, while nobody reads the log, of which each request writes a line, and
 * while some connections ask for pages and take none of the answers.
 */
export async function benchHealth(options: HealthBenchOptions): Promise<readonly Figure[]> {
  const { rounds, logins, say } = options
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const hosts = Array.from({ length: INSTANCES }, (_, i) => `i${i}.example.com`)
  // A pipe that nothing is taken from is full after 64 KiB.
  const args = [folder, LOGIN_VALUE, 'debug', ...hosts]
  const server = await startChild('login-server.ts', args, { stderr: 'pipe' })
  const deaf: Socket[] = []
  try {
    const { port } = server.hello as { port: number } // What it says first.
    const browsers = await Promise.all(hosts.map((host, i) => open(port, host, `192.0.2.${i + 1}`)))
    await logInAll(port, browsers, INSTANCES)
    for (const host of hosts.slice(0, DEAF)) deaf.push(await ask(port, host))
    const p99s: number[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const stopProbing = probe(port)
      await logInAll(port, browsers, logins)
      const healthMs = quantile(await stopProbing(), 0.99)
      say(`health round ${round}: p99 ${healthMs.toFixed(1)} ms`)
      p99s.push(healthMs)
    }
    const healthMs = median(p99s)
    return [
      {
        name: 'health route, nobody reads log or answers, p99',
        value: `${healthMs.toFixed(1)} ms`,
        target: `≤ ${HEALTH_TARGET_MS} ms`,
        isMet: healthMs <= HEALTH_TARGET_MS,
      },
    ]
  } finally {
    for (const socket of deaf) socket.destroy()
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

/** Asks for pages, and takes nothing. */
async function ask(port: number, host: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause()
  // The server may end such a connection.
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  const message = toMessage({ method: 'GET', path: '/auth/login', host })
  socket.write(message.repeat(PIPELINED))
  return socket
}
